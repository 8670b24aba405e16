// Which modules people mean when they ask "which module": their own and their library's, not torch.nn's
// building blocks, but for a few of those that are worth naming.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modules/module_tree.h"

namespace thence::modules {

class ClassFilter {
 public:
  /// With the usual exceptions: the norms and Embedding.
  ClassFilter();
  /// A user's list of torch.nn classes (short names) replaces the usual one.
  explicit ClassFilter(std::vector<std::string> exceptions) : exceptions_(std::move(exceptions)) {}

  /// Every class counts, torch.nn's included.
  static ClassFilter all();

  bool shows(std::string_view class_name) const;
  /// The nearest shown module, from the module itself outwards; no_module when there is none or classes are
  /// unknown.
  ModuleId hf_module(const ModuleTree& tree, ModuleId module) const;

 private:
  std::vector<std::string> exceptions_;
  bool all_ = false;
};

}  // namespace thence::modules
