#include "modules/class_filter.h"

#include <algorithm>

namespace thence::modules {

ClassFilter::ClassFilter()
    : exceptions_({"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "GroupNorm", "InstanceNorm1d",
                   "InstanceNorm2d", "InstanceNorm3d", "Embedding"}) {}

ClassFilter ClassFilter::all() {
  ClassFilter filter;
  filter.all_ = true;
  return filter;
}

bool ClassFilter::is_shown(std::string_view class_name) const {
  if (class_name.empty()) return false;
  if (all_ || !is_torch_nn(class_name)) return true;
  return std::find(exceptions_.begin(), exceptions_.end(), short_class(class_name)) != exceptions_.end();
}

ModuleId ClassFilter::hf_module(const ModuleTree& tree, ModuleId module) const {
  if (!tree.has_classes()) return no_module;
  for (ModuleId at = module;; at = tree[at].parent) {
    if (is_shown(tree[at].class_name)) return at;
    if (at == root) return no_module;
  }
}

}  // namespace thence::modules
