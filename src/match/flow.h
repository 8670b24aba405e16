// Whether data flows between nodes as it did between the steps that they are said to come from.
#pragma once

#include <vector>

#include "match/align.h"

namespace thence::match {

/// By item: all that it is made of comes from a step that its own reads, or from the same step and agrees
/// itself; steps that left no node are looked through. `steps`: the step of each item, or none.
std::vector<bool> flow_agrees(const capture::Recording& recording, const std::vector<NodeItem>& items,
                              const std::vector<std::uint32_t>& steps);

}  // namespace thence::match
