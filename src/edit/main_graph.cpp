#include "edit/main_graph.h"

#include "base/format.h"
#include "base/text.h"

namespace thence::edit {

using onnx::GraphId;
using onnx::NodeId;
using onnx::ValueId;

Result<MainGraph> MainGraph::make(const semantics::Map& map) {
  const onnx::Model& model = map.model();
  for (const Diagnostic& diagnostic : map.diagnostics().kept())
    if (diagnostic.code == "M001" || diagnostic.code == "M002")
      return Error{
          ErrorKind::bad_input, "E009",
          base::format("{}: {}: {}", base::printable(model.file()), diagnostic.where, diagnostic.text),
          "a model that no runtime would load is not changed; mend it first"};
  MainGraph graph(model);
  graph.read_bodies();
  if (std::optional<Error> error = graph.check_order()) return *std::move(error);
  return graph;
}

std::vector<bool> MainGraph::main_graph_values() const {
  std::vector<bool> own(model_->value_count(), false);
  for (const ValueId value : model_->graphs().front().inputs) own[value] = true;
  for (const onnx::Initializer& initializer : model_->initializers())
    if (initializer.graph == 0 && initializer.value != onnx::none) own[initializer.value] = true;
  for (NodeId id = 0; id < size(); ++id)
    for (const ValueId value : model_->node(id).outputs())
      if (value != onnx::none) own[value] = true;
  return own;
}

void MainGraph::read_bodies() {
  const auto& graphs = model_->graphs();
  const std::vector<bool> of_main = main_graph_values();
  // The node of the main graph that contains each graph.
  std::vector<NodeId> enclosing_node(graphs.size(), onnx::none);
  for (GraphId id = 1; id < graphs.size(); ++id) {  // outer graphs come first
    const onnx::Graph& graph = graphs[id];
    if (graph.kind != onnx::Graph::Kind::body) continue;
    enclosing_node[id] = graph.parent == 0 ? graph.owner : enclosing_node[graph.parent];
    if (enclosing_node[id] == onnx::none) continue;  // in a function
    std::vector<ValueId>& reads = body_reads_[enclosing_node[id]];
    const auto add = [&](ValueId value) {
      if (value != onnx::none && of_main[value]) reads.push_back(value);
    };
    for (NodeId node = graph.first_node; node < graph.first_node + graph.node_count; ++node)
      for (const ValueId value : model_->node(node).inputs()) add(value);
    for (const ValueId value : graph.outputs) add(value);
  }
}

std::optional<Error> MainGraph::check_order() const {
  for (NodeId id = 0; id < size(); ++id) {
    ValueId early = onnx::none;
    for_each_read(id, [&](ValueId value) {
      const NodeId from = producer(value);
      if (from != onnx::none && from >= id) early = value;
    });
    if (early != onnx::none)
      return Error{ErrorKind::bad_input, "E010",
                   base::format("{}: node {} '{}': reads '{}', which node {} writes only later",
                                base::printable(model_->file()), id, base::printable(model_->node(id).name()),
                                base::printable(model_->value_name(early)), producer(early)),
                   "nodes must stand in an order in which they can run; sort them first"};
  }
  return std::nullopt;
}

}  // namespace thence::edit
