// NodeUses: the nodes that read any output of a node.
#pragma once

#include <span>
#include <vector>

#include "base/grouped.h"
#include "onnx/model.h"

namespace thence::diff {

class NodeUses {
 public:
  explicit NodeUses(const onnx::Model& model);

  std::span<const onnx::NodeId> of(onnx::NodeId node) const { return uses_.of(node); }
  /// Whether an output of a node is an output of its graph.
  bool is_graph_output(onnx::NodeId node) const { return graph_outputs_[node]; }

 private:
  base::Grouped<onnx::NodeId> uses_;
  std::vector<bool> graph_outputs_;  // by node
};

}  // namespace thence::diff
