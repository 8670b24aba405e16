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
      enclosing_nodes_.push_back(graph.kind != onnx::Graph::Kind::body ? onnx::none
                                 : graph.parent == 0                   ? graph.owner
                                                                       : enclosing_nodes_[graph.parent]);
    for (const ValueId value : model.graphs().front().inputs)
      if (value != onnx::none) main_input_[value] = true;
    find_constants();
  }

  Boundary run(std::span<const NodeId> nodes) {
    Boundary boundary;
    for (const NodeId id : nodes)
      if (const NodeId top = main_graph_node(id); top != onnx::none)
        inside_[top] = true;
      else
        ++boundary.in_functions;
    for (NodeId id = 0; id < model_.node_count(); ++id) {
      const NodeId top = main_graph_node(id);
      if (top == onnx::none) continue;
      for (const ValueId value : model_.node(id).inputs())
        if (value != onnx::none && !seen_[value])
          inside_[top] ? add_input(value, boundary) : add_output(value, boundary);
    }
    for (const ValueId value : model_.graphs().front().outputs)
      if (value != onnx::none && !seen_[value]) add_output(value, boundary);
    return boundary;
  }

 private:
  // The node of the main graph that is or contains a node.
  NodeId main_graph_node(NodeId id) const {
    const onnx::GraphId graph = model_.node(id).graph();
    return graph == 0 ? id : enclosing_nodes_[graph];
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
    for (std::size_t graph = 0; graph < enclosing_nodes_.size(); ++graph)
      if (enclosing_nodes_[graph] != onnx::none)
        constant_[enclosing_nodes_[graph]] = false;  // bodies may read any value
  }

  bool is_constant(const onnx::Producer& producer) const {
    if (producer.kind == onnx::Producer::Kind::node)
      return producer.index < constant_.size() && constant_[producer.index];
    return producer.kind == onnx::Producer::Kind::initializer;
  }

  void add_input(ValueId value, Boundary& boundary) {
    const onnx::Producer producer = model_.producer(value);
    const bool is_model_input = producer.kind == onnx::Producer::Kind::graph_input && main_input_[value];
    const bool is_produced_outside = producer.kind == onnx::Producer::Kind::node &&
                                     producer.index < inside_.size() && !inside_[producer.index] &&
                                     !is_constant(producer);
    if (!is_model_input && !is_produced_outside) return;
    seen_[value] = true;
    boundary.inputs.push_back(value);
  }

  void add_output(ValueId value, Boundary& boundary) {
    const onnx::Producer producer = model_.producer(value);
    if (producer.kind != onnx::Producer::Kind::node || producer.index >= inside_.size() ||
        !inside_[producer.index] || is_constant(producer))
      return;
    seen_[value] = true;
    boundary.outputs.push_back(value);
  }

  const onnx::Model& model_;
  std::vector<NodeId> enclosing_nodes_;  // by graph: the node of the main graph that contains it
  std::vector<bool> inside_, constant_;
  std::vector<bool> seen_, main_input_;  // by value
};

}  // namespace

Boundary boundary_of(const onnx::Model& model, std::span<const NodeId> nodes) {
  return BoundaryFinder(model).run(nodes);
}

}  // namespace thence::query
