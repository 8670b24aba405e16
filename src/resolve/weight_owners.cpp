// The owner of the largest parameter that a node reads. An initializer without a parameter name (a
// transposed or folded weight) belongs to the module of the nodes that read it, if they agree.
#include <algorithm>

#include "resolve/propagate.h"

namespace thence::resolve {
namespace {

struct Weight {
  ModuleId owner = no_module;
  std::uint64_t elements = 0;
};

class WeightOwners {
 public:
  WeightOwners(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const FlowIndex& flow_index,
               Resolution& resolution)
      : model_(model), hierarchy_(hierarchy), flow_(flow_index), resolution_(resolution) {}

  void run() {
    find_weights(modules_of_consumers());
    for (onnx::NodeId id = 0; id < model_.node_count(); ++id) set_owner(id);
  }

 private:
  static constexpr ModuleId unread = no_module - 1;

  // Calls `use` with each initializer that a node reads, directly or as a copy (transposed, dequantised), and
  // with the owner that the copy names.
  void each_read_initializer(onnx::NodeId id, auto use) const {
    for (const onnx::ValueId value : model_.node(id).inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model_.producer(value);
      if (producer.kind == onnx::Producer::Kind::initializer) {
        use(producer.index, no_module);
      } else if (producer.kind == onnx::Producer::Kind::node &&
                 flow_.kind(producer.index) == FlowKind::constant) {
        const auto behind = hierarchy_.source_parameter(model_, value);
        if (behind.initializer != onnx::none) use(behind.initializer, behind.owner.module);
      }
    }
  }

  // By initializer: the one module that reads it; no_module if several do.
  std::vector<ModuleId> modules_of_consumers() const {
    std::vector<ModuleId> modules(model_.initializers().size(), unread);
    for (onnx::NodeId id = 0; id < model_.node_count(); ++id)
      each_read_initializer(id, [&](std::uint32_t index, ModuleId) {
        const ModuleId module = resolution_.nodes[id].computing_module();
        if (modules[index] == unread)
          modules[index] = module;
        else if (modules[index] != module)
          modules[index] = no_module;
      });
    return modules;
  }

  void find_weights(const std::vector<ModuleId>& consumer_module) {
    weights_.resize(consumer_module.size());
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const onnx::TensorView tensor = model_.tensor(model_.initializers()[i]);
      weights_[i] = {hierarchy_.parameters()[i].module, tensor.elements().value_or(0)};
      // Scalars and small vectors without a name are mostly constants, not weights.
      if (weights_[i].owner == no_module && tensor.dims.size() >= 2 && consumer_module[i] != unread)
        weights_[i].owner = consumer_module[i];
    }
  }

  void set_owner(onnx::NodeId id) {
    ModuleId& owner = resolution_.nodes[id].weight_owner;
    std::uint64_t largest = 0;
    each_read_initializer(id, [&](std::uint32_t index, ModuleId owner_of_copy) {
      const ModuleId candidate = owner_of_copy != no_module ? owner_of_copy : weights_[index].owner;
      if (candidate == no_module || (owner != no_module && weights_[index].elements <= largest)) return;
      largest = weights_[index].elements;
      owner = candidate;
    });
    // A module with several paths owns its weight by the path that it was called by.
    const ModuleId module = resolution_.nodes[id].module;
    if (owner != no_module && module != no_module && hierarchy_.tree().is_same_module(owner, module))
      owner = module;
  }

  const onnx::Model& model_;
  const hierarchy::Hierarchy& hierarchy_;
  const FlowIndex& flow_;
  Resolution& resolution_;
  std::vector<Weight> weights_;  // by initializer
};

}  // namespace

void find_weight_owners(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                        const FlowIndex& flow_index, Resolution& resolution) {
  if (model.initializers().empty()) return;
  WeightOwners(model, hierarchy, flow_index, resolution).run();
}

}  // namespace thence::resolve
