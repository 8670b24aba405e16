// MainGraph: the consumers and producers in the main graph. A value that the body of a node reads counts as
// read by that node.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "semantics/map.h"

namespace thence::edit {

class MainGraph {
 public:
  /// Returns an error if the nodes are not in topological order, or if values have no producer or several.
  static Result<MainGraph> make(const semantics::Map& map);

  const onnx::Model& model() const { return *model_; }
  onnx::NodeId size() const { return model_->graphs().front().node_count; }
  /// The producer of a value; none for inputs, initializers and values of other graphs.
  onnx::NodeId producer(onnx::ValueId value) const {
    const onnx::Producer producer = model_->producer(value);
    return producer.kind == onnx::Producer::Kind::node && producer.index < size() ? producer.index
                                                                                  : onnx::none;
  }
  bool has_bodies(onnx::NodeId node) const { return body_reads_.contains(node); }

  /// Calls `use` for each value of the main graph that a node reads, once per read.
  template <class Use>
  void for_each_read(onnx::NodeId node, Use use) const {
    for (const onnx::ValueId value : model_->node(node).inputs())
      if (value != onnx::none) use(value);
    if (body_reads_.empty()) return;
    if (const auto held = body_reads_.find(node); held != body_reads_.end())
      for (const onnx::ValueId value : held->second) use(value);
  }

 private:
  explicit MainGraph(const onnx::Model& model) : model_(&model) {}
  /// By value: whether it is an input, an initializer or an output of a node of the main graph.
  std::vector<bool> main_graph_values() const;
  void read_bodies();
  std::optional<Error> check_order() const;

  const onnx::Model* model_;
  std::unordered_map<onnx::NodeId, std::vector<onnx::ValueId>> body_reads_;  // by node of the main graph
};

}  // namespace thence::edit
