// CalledModules: captures name a module by its first path. This finds the path by which each call was made,
// below the caller, and numbers the calls of each path.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "modules/module_tree.h"

namespace thence::capture {

using modules::ModuleId;
using modules::ModuleTree;
using modules::no_module;

class CalledModules {
 public:
  explicit CalledModules(ModuleTree& tree) : tree_(tree) {}

  struct Call {
    ModuleId module = no_module;
    modules::CallNumber number;
    bool is_direct = false;  // see python/thence/capturing/calls.py; direct calls are numbered separately
  };

  /// The call of a module by the path below its caller. `recorded` has the module at any of its paths, and
  /// the number among the calls by all of them.
  Call find(ModuleId caller, Call recorded) {
    const ModuleId called = tree_.as_called_by(caller, recorded.module);
    const bool has_one_path = tree_[called].aliases.empty();
    if (has_one_path) return recorded;
    return {called, counts_[{2 * std::uint64_t{called} + recorded.is_direct}]++, recorded.is_direct};
  }

 private:
  ModuleTree& tree_;
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;  // calls of each path so far, direct ones apart
};

}  // namespace thence::capture
