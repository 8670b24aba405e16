#include "transfer/view_names.h"

namespace thence::transfer {

ViewNames::ViewNames(const Net& ancestor) {
  const onnx::Model& model = ancestor.model();
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    if (!ancestor.is_view(id) || ancestor.is_constant(id)) continue;
    const std::string_view name = model.value_name(model.node(id).outputs()[0]);
    if (name.empty()) continue;
    const auto [entry, fresh] = views_.emplace(name, id);
    if (!fresh) entry->second = none;  // bodies may use a name again: then it tells nothing
  }
}

onnx::NodeId ViewNames::find(std::string_view value) const {
  const auto found = views_.find(value);
  return found == views_.end() ? none : found->second;
}

}  // namespace thence::transfer
