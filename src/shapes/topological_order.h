// The order in which the nodes of a graph are processed: file order if it is topological, otherwise a
// topological order.
#pragma once

#include <unordered_map>
#include <vector>

#include "onnx/model.h"

namespace thence::shapes {

class TopologicalOrder {
 public:
  explicit TopologicalOrder(const onnx::Model& model) : model_(model) {}

  template <class Use>
  void each(const onnx::Graph& graph, Use use) {
    const std::vector<onnx::NodeId>* sorted = sorted_of(graph);
    if (sorted != nullptr)
      for (const onnx::NodeId node : *sorted) use(node);
    else
      for (onnx::NodeId i = 0; i < graph.node_count; ++i) use(graph.first_node + i);
  }

 private:
  /// Null for file order.
  const std::vector<onnx::NodeId>* sorted_of(const onnx::Graph& graph);
  bool is_topological(const onnx::Graph& graph) const;

  const onnx::Model& model_;
  std::unordered_map<onnx::NodeId, std::vector<onnx::NodeId>> sorted_;  // by first node; empty for file order
};

}  // namespace thence::shapes
