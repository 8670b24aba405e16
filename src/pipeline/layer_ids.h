// LayerIds: the outermost layer that each module is in.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/module_tree.h"

namespace thence::pipeline {

class LayerIds {
 public:
  static constexpr std::uint32_t no_layer = 0xffffffff;

  explicit LayerIds(const modules::ModuleTree& tree) {
    std::unordered_map<std::string, std::uint32_t> ids;
    for (modules::ModuleId module = 0; module < tree.size(); ++module) {
      const std::vector<modules::LayerStep> path = tree.layer_path(module);
      if (path.empty()) {
        by_module_.push_back(no_layer);
        continue;
      }
      std::string container(path.front().container);
      const auto [found, is_new] = ids.emplace(container + '.' + std::to_string(path.front().index),
                                               static_cast<std::uint32_t>(containers_.size()));
      if (is_new) containers_.push_back(std::move(container));
      by_module_.push_back(found->second);
    }
  }

  std::uint32_t of(modules::ModuleId module) const { return by_module_[module]; }
  /// The path of the list that each layer is in.
  const std::vector<std::string>& containers() const { return containers_; }

 private:
  std::vector<std::uint32_t> by_module_;
  std::vector<std::string> containers_;  // by layer
};

}  // namespace thence::pipeline
