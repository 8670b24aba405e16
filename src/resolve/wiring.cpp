#include "resolve/wiring.h"

#include <algorithm>

#include "dataflow/operator_traits.h"
#include "shapes/order.h"

namespace thence::resolve {

Wiring::Wiring(const onnx::Model& model) : uses_(model), flow_(model.node_count(), Flow::data) {
  find_flow(model);
}

// In topological order, which is the file's order in a valid model. In a cycle, the node that is visited
// first reads data: the cautious choice.
void Wiring::find_flow(const onnx::Model& model) {
  bool is_sorted = true;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    flow_[id] = flow_of_inputs(model, model.node(id), is_sorted);
  if (is_sorted) return;
  std::fill(flow_.begin(), flow_.end(), Flow::data);
  shapes::Order order(model);
  for (const onnx::Graph& graph : model.graphs())  // a body follows the graph around it
    order.each(graph, [&](onnx::NodeId id) { flow_[id] = flow_of_inputs(model, model.node(id), is_sorted); });
}

Flow Wiring::flow_of_inputs(const onnx::Model& model, const onnx::Node& node, bool& is_sorted) const {
  if (dataflow::has_trait(node, dataflow::Trait::reads_shape)) return Flow::shape;
  Flow flow = Flow::constant;
  for (const onnx::ValueId value : node.inputs()) {
    if (value == onnx::none) continue;
    const onnx::Producer producer = model.producer(value);
    if (producer.kind == onnx::Producer::Kind::initializer) continue;
    if (producer.kind != onnx::Producer::Kind::node) return Flow::data;
    if (producer.index >= node.id()) is_sorted = false;
    flow = std::max(flow, flow_[producer.index]);
    if (flow == Flow::data) return flow;
  }
  return flow;
}

}  // namespace thence::resolve
