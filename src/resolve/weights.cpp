// The owner of the largest parameter that a node reads. An initializer without a name of its own (a
// transposed or folded weight) belongs to the module of the nodes that read it, if they agree.
#include <algorithm>

#include "resolve/propagate.h"

namespace thence::resolve {

void find_weight_owners(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const Wiring& wiring,
                        Resolution& resolution) {
  const auto& initializers = model.initializers();
  if (initializers.empty()) return;
  constexpr ModuleId unread = no_module - 1;
  std::vector<ModuleId> reader_module(initializers.size(), unread);
  const auto each_initializer = [&](onnx::NodeId id, auto use) {
    for (const onnx::ValueId value : model.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model.producer(value);
      if (producer.kind == onnx::Producer::Kind::initializer) {
        use(producer.index, no_module);
      } else if (producer.kind == onnx::Producer::Kind::node &&
                 wiring.flow(producer.index) == Flow::constant) {
        const auto behind = hierarchy.parameter_behind(model, value);  // transposed, dequantised, copied
        if (behind.initializer != onnx::none) use(behind.initializer, behind.owner.module);
      }
    }
  };
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    each_initializer(id, [&](std::uint32_t index, ModuleId) {
      ModuleId& seen = reader_module[index];
      const ModuleId module = resolution.nodes[id].module;
      if (seen == unread)
        seen = module;
      else if (seen != module)
        seen = no_module;
    });
  std::vector<std::uint64_t> sizes(initializers.size());
  std::vector<ModuleId> owners(initializers.size(), no_module);
  for (std::size_t i = 0; i < initializers.size(); ++i) {
    const onnx::TensorView tensor = model.tensor(initializers[i]);
    sizes[i] = tensor.elements().value_or(0);
    owners[i] = hierarchy.parameters()[i].module;
    // Scalars and small vectors without a name are mostly constants, not weights.
    if (owners[i] == no_module && tensor.dims.size() >= 2 && reader_module[i] != unread)
      owners[i] = reader_module[i];
  }
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    std::uint64_t largest = 0;
    each_initializer(id, [&](std::uint32_t index, ModuleId by_copy) {
      const ModuleId owner = by_copy != no_module ? by_copy : owners[index];
      if (owner == no_module || (resolution.nodes[id].weight_owner != no_module && sizes[index] <= largest))
        return;
      largest = sizes[index];
      resolution.nodes[id].weight_owner = owner;
    });
  }
}

}  // namespace thence::resolve
