// Tags that thence wrote into a file: the shown module of each module, and its tag. A tree rebuilt from the
// file lacks modules without nodes, so new tags would have different ordinals.
#pragma once

#include <string_view>
#include <unordered_map>

#include "hierarchy/hierarchy.h"

namespace thence::semantics {

struct WrittenTag {
  modules::ModuleId hf_module = modules::no_module;
  std::string_view text;
  bool operator==(const WrittenTag&) const = default;
};
using WrittenTags = std::unordered_map<modules::ModuleId, WrittenTag>;  // key: the module of the nodes

/// Empty if there is a capture. Modules whose nodes disagree are left out.
WrittenTags written_tags(const hierarchy::Hierarchy& hierarchy);

}  // namespace thence::semantics
