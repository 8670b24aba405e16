// Order: nodes back in the order in which a recording saw them, for a file that does not keep it.
#pragma once

#include <vector>

#include "match/align.h"

namespace thence::match {

/// Those of a file, in its order. `readers`: by parameter, the steps that read it.
std::vector<Anchor> anchors_of(const std::vector<NodeItem>& items,
                               const std::vector<std::vector<std::uint32_t>>& readers);

/// The longest part of the anchors whose steps are in order, too.
std::vector<Anchor> in_step(const std::vector<Anchor>& anchors);

/// Anchors in the order of their steps, each after all it is made of; what leads to none comes last.
std::vector<NodeItem> reordered(std::vector<NodeItem> items, std::vector<Anchor> anchors);

}  // namespace thence::match
