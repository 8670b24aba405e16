// What nodes are called in files that speak of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onnx/model.h"

namespace thence::output {

/// A node's place, as on the command line: "#61", "12.then_branch#3".
class Places {
 public:
  explicit Places(const onnx::Model& model) : model_(model) {}

  /// The label of a node's graph; good until the next call.
  const std::string& graph(onnx::NodeId node);
  std::string of(onnx::NodeId node);

 private:
  const onnx::Model& model_;
  onnx::GraphId graph_ = onnx::none;  // the last one, and its label: nodes of a graph lie together
  std::string label_;
};

/// Calls each node by its name if the name is the node's alone, survives being written down and could not be
/// taken for a place; by its place otherwise. So no two are called the same, but for functions of one name.
class NodeNames {
 public:
  explicit NodeNames(const onnx::Model& model);
  std::string of(onnx::NodeId node);
  /// The name, if `of` calls the node by it; otherwise empty.
  std::string_view unique_name(onnx::NodeId node) const {
    return named_[node] ? model_.node(node).name() : std::string_view();
  }

 private:
  const onnx::Model& model_;
  Places places_;
  std::vector<bool> named_;  // by its name
};

}  // namespace thence::output
