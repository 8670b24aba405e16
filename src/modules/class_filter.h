// Decides which modules are reported as hf_module: classes of the user and of their library, and a few
// important classes of torch.nn, but not its other building blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modules/module_tree.h"

namespace thence::modules {

class ClassFilter {
 public:
  /// With the default exceptions: the norms and Embedding.
  ClassFilter();
  /// A user's list of torch.nn classes (short names) replaces the default exceptions.
  explicit ClassFilter(std::vector<std::string> exceptions) : exceptions_(std::move(exceptions)) {}

  /// Shows every class, including those of torch.nn.
  static ClassFilter all();

  bool is_shown(std::string_view class_name) const;
  /// The nearest shown module, from the module itself outwards; no_module if there is none or classes are
  /// unknown.
  ModuleId hf_module(const ModuleTree& tree, ModuleId module) const;

 private:
  std::vector<std::string> exceptions_;
  bool all_ = false;
};

}  // namespace thence::modules
