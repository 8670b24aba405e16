#include "hierarchy/hierarchy.h"

#include <utility>

namespace thence::hierarchy {

Hierarchy::Hierarchy(const onnx::Model& model, std::optional<Capture> capture)
    : tree_(capture ? std::move(capture->tree) : ModuleTree()) {
  read_properties(model);
  parameters_ = parameter_owners(model, tree_);
  copies_ = parameter_copies(model, tree_);
  scopes_.emplace(model, tree_, parameters_);
}

void Hierarchy::read_properties(const onnx::Model& model) {
  StackReader reader(tree_);
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const ExporterProperties properties = exporter_properties(model.node(id));
    if (properties.tagged) {
      const ModuleId module = tree_.complete() ? tree_.find(properties.tag_module)
                                               : tree_.add(properties.tag_module, properties.tag_class);
      if (module != no_module) tags_.push_back({id, module, properties.tag_module, properties.tag_fingerprint});
    }
    const StackReader::Found found = reader.find(properties);
    if (found.module == no_module && !found.stranger) continue;
    if (stacks_.empty()) stacks_.resize(model.node_count());
    stacks_[id] = {found.module, found.whole, !properties.rewrite_rule.empty(), found.stranger};
  }
}

}  // namespace thence::hierarchy
