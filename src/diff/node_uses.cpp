#include "diff/node_uses.h"

namespace thence::diff {
namespace {

// Calls `visit` with the node that writes a value, if a node does.
template <class Visit>
void with_producer(const onnx::Model& model, onnx::ValueId value, Visit visit) {
  if (value == onnx::none) return;
  if (const auto producer = model.producer(value); producer.kind == onnx::Producer::Kind::node)
    visit(producer.index);
}

}  // namespace

NodeUses::NodeUses(const onnx::Model& model)
    : uses_(model.node_count(),
            [&](const auto& add) {
              for (onnx::NodeId id = 0; id < model.node_count(); ++id)
                for (const onnx::ValueId value : model.node(id).inputs())
                  with_producer(model, value, [&](onnx::NodeId producer) { add(producer, id); });
            }),
      graph_outputs_(model.node_count()) {
  for (const onnx::Graph& graph : model.graphs())
    for (const onnx::ValueId value : graph.outputs)
      with_producer(model, value, [&](onnx::NodeId producer) { graph_outputs_[producer] = true; });
}

}  // namespace thence::diff
