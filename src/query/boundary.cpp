#include "query/boundary.h"

#include <algorithm>

namespace thence::query {
namespace {

using onnx::NodeId;
using onnx::ValueId;

class BoundaryFinder {
 public:
  explicit BoundaryFinder(const onnx::Model& model)
      : model_(model),
        inside_(model.graphs().front().node_count, false),
        constant_(inside_.size(), false),
        seen_(model.value_count(), false),
        main_input_(model.value_count(), false) {
    for (const onnx::Graph& graph : model.graphs())  // outer graphs come first
      holders_.push_back(graph.kind != onnx::Graph::Kind::body ? onnx::none
                         : graph.parent == 0                   ? graph.owner
                                                               : holders_[graph.parent]);
    for (const ValueId value : model.graphs().front().inputs)
      if (value != onnx::none) main_input_[value] = true;
    find_constants();
  }

  Boundary run(std::span<const NodeId> nodes) {
    Boundary edge;
    for (const NodeId id : nodes)
      if (const NodeId top = top_of(id); top != onnx::none)
        inside_[top] = true;
      else
        ++edge.in_functions;
    for (NodeId id = 0; id < model_.node_count(); ++id) {
      const NodeId top = top_of(id);
      if (top == onnx::none) continue;
      for (const ValueId value : model_.node(id).inputs())
        if (value != onnx::none && !seen_[value])
          inside_[top] ? take_input(value, edge) : take_output(value, edge);
    }
    for (const ValueId value : model_.graphs().front().outputs)
      if (value != onnx::none && !seen_[value]) take_output(value, edge);
    return edge;
  }

 private:
  // The node of the main graph that is or contains a node.
  NodeId top_of(NodeId id) const {
    const onnx::GraphId graph = model_.node(id).graph();
    return graph == 0 ? id : holders_[graph];
  }

  // In file order, in which producers come first.
  void find_constants() {
    for (NodeId id = 0; id < constant_.size(); ++id) {
      const onnx::Node node = model_.node(id);
      if (node.inputs().empty() && node.op_type() != "Constant") continue;  // a random number, for example
      constant_[id] = std::all_of(node.inputs().begin(), node.inputs().end(), [&](ValueId value) {
        return value == onnx::none || is_constant(model_.producer(value));
      });
    }
    for (std::size_t graph = 0; graph < holders_.size(); ++graph)
      if (holders_[graph] != onnx::none) constant_[holders_[graph]] = false;  // bodies may read any value
  }

  bool is_constant(const onnx::Producer& producer) const {
    if (producer.kind == onnx::Producer::Kind::node)
      return producer.index < constant_.size() && constant_[producer.index];
    return producer.kind == onnx::Producer::Kind::initializer;
  }

  void take_input(ValueId value, Boundary& edge) {
    const onnx::Producer producer = model_.producer(value);
    const bool given = producer.kind == onnx::Producer::Kind::graph_input && main_input_[value];
    const bool made = producer.kind == onnx::Producer::Kind::node && producer.index < inside_.size() &&
                      !inside_[producer.index] && !is_constant(producer);
    if (!given && !made) return;
    seen_[value] = true;
    edge.inputs.push_back(value);
  }

  void take_output(ValueId value, Boundary& edge) {
    const onnx::Producer producer = model_.producer(value);
    if (producer.kind != onnx::Producer::Kind::node || producer.index >= inside_.size() ||
        !inside_[producer.index] || is_constant(producer))
      return;
    seen_[value] = true;
    edge.outputs.push_back(value);
  }

  const onnx::Model& model_;
  std::vector<NodeId> holders_;  // by graph: the node of the main graph that contains it
  std::vector<bool> inside_, constant_;
  std::vector<bool> seen_, main_input_;  // by value
};

}  // namespace

Boundary boundary_of(const onnx::Model& model, std::span<const NodeId> nodes) {
  return BoundaryFinder(model).run(nodes);
}

}  // namespace thence::query
