#include "weights/consumers.h"

#include <algorithm>

#include "dataflow/operator_traits.h"
#include "hierarchy/parameter_thresholds.h"
#include "weights/limits.h"

namespace thence::weights {

std::uint32_t initializer_behind(const onnx::Model& model, onnx::ValueId value) {
  for (int step = 0; step <= hierarchy::most_form_changes && value != onnx::none; ++step) {
    const onnx::Producer producer = model.producer(value);
    if (producer.kind == onnx::Producer::Kind::initializer) return producer.index;
    if (producer.kind != onnx::Producer::Kind::node) break;
    const onnx::Node node = model.node(producer.index);
    if (!dataflow::has_trait(node, dataflow::Trait::prepares_weight) || node.inputs().empty()) break;
    value = node.inputs()[0];
  }
  return onnx::none;
}

Consumers::Consumers(const onnx::Model& model)
    : by_initializer_(model.initializers().size(), [&](const auto& use) {
        if (model.initializers().empty()) return;
        for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
          const onnx::Node node = model.node(id);
          // The node after it is the consumer.
          if (dataflow::has_trait(node, dataflow::Trait::prepares_weight) && !node.inputs().empty() &&
              initializer_behind(model, node.inputs()[0]) != onnx::none)
            continue;
          const std::size_t count = std::min(node.inputs().size(), max_inputs);
          for (std::uint32_t input = 0; input < count; ++input)
            if (const std::uint32_t found = initializer_behind(model, node.inputs()[input]);
                found != onnx::none)
              use(found, Consumer{id, input});
        }
      }) {}

}  // namespace thence::weights
