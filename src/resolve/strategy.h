// Strategies: rows of one table, each saying which sources it may use.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "evidence/source.h"

namespace thence::resolve {

struct Strategy {
  std::string_view name;
  evidence::SourceSet sources;
  bool needs_classes = false;      // answers only where classes are known
  std::string_view needs_section;  // of the capture; empty: none
  std::string_view meaning;
  bool tags_auxiliary = false;  // what has no honest owner gets the tag of auxiliary operations
};

std::span<const Strategy> strategies();

/// The same for a model derived from one that was mapped by it: the ancestor's answers are the only evidence.
Strategy with_ancestor(Strategy strategy);
/// The same for the derived model's own evidence, on nodes that the ancestor does not answer.
Strategy beside_ancestor(Strategy strategy);

/// The strategy of this name, or what is wrong with the name.
Result<Strategy> find_strategy(std::string_view name);

}  // namespace thence::resolve
