// What a file says of its modules because thence wrote it there: which module each shows as, and its tag. A
// tree rebuilt from the file lacks modules that left no node, so tags made anew would count differently.
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
using WrittenTags = std::unordered_map<modules::ModuleId, WrittenTag>;  // by the module of the nodes

/// Nothing where a capture knows better, and nothing of modules whose nodes disagree.
WrittenTags written_tags(const hierarchy::Hierarchy& hierarchy);

}  // namespace thence::semantics
