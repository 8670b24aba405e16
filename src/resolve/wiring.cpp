#include "resolve/wiring.h"

#include <algorithm>

namespace thence::resolve {

Wiring::Wiring(const onnx::Model& model) {
  find_readers(model);
  find_flow(model);
}

void Wiring::find_readers(const onnx::Model& model) {
  const auto each_reading = [&](auto use) {
    for (onnx::NodeId id = 0; id < model.node_count(); ++id)
      for (const onnx::ValueId value : model.node(id).inputs())
        if (value != onnx::none) use(value, id);
    for (const onnx::Graph& graph : model.graphs())
      if (graph.owner != onnx::none)
        for (const onnx::ValueId value : graph.outputs)
          if (value != onnx::none) use(value, graph.owner);
  };
  first_.assign(model.value_count() + 1, 0);
  each_reading([&](onnx::ValueId value, onnx::NodeId) { ++first_[value + 1]; });
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  readers_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  each_reading([&](onnx::ValueId value, onnx::NodeId id) { readers_[next[value]++] = id; });
}

// One pass in file order, which is the order of computation in every valid model. A value read before it is
// written counts as data: the cautious choice.
void Wiring::find_flow(const onnx::Model& model) {
  flow_.assign(model.node_count(), Flow::data);
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const onnx::Node node = model.node(id);
    if (node.op_type() == "Shape" || node.op_type() == "Size") {
      flow_[id] = Flow::shape;
      continue;
    }
    Flow flow = Flow::constant;
    for (const onnx::ValueId value : node.inputs()) {
      if (value == onnx::none) continue;
      const onnx::Producer producer = model.producer(value);
      if (producer.kind == onnx::Producer::Kind::initializer) continue;
      if (producer.kind != onnx::Producer::Kind::node || producer.index >= id)
        flow = Flow::data;
      else
        flow = std::max(flow, flow_[producer.index]);
    }
    flow_[id] = flow;
  }
}

}  // namespace thence::resolve
