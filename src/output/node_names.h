// Names of nodes in output files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "onnx/model.h"

namespace thence::output {

/// The location of a node, as on the command line: "#61", "12.then_branch#3".
class NodeLocations {
 public:
  explicit NodeLocations(const onnx::Model& model) : model_(model) {}

  /// The label of a node's graph. Valid until the next call.
  const std::string& graph(onnx::NodeId node);
  std::string of(onnx::NodeId node);

 private:
  const onnx::Model& model_;
  onnx::GraphId graph_ = onnx::none;  // the last graph and its label; nodes of a graph are contiguous
  std::string label_;
};

/// Identifies each node by its name if the name is unique and printable and does not look like a location,
/// otherwise by its location. The result is unique, except in functions with the same name.
class NodeNames {
 public:
  explicit NodeNames(const onnx::Model& model);
  std::string of(onnx::NodeId node);
  /// The name if `of` uses it, otherwise empty.
  std::string_view unique_name(onnx::NodeId node) const {
    return named_[node] ? model_.node(node).name() : std::string_view();
  }

 private:
  const onnx::Model& model_;
  NodeLocations locations_;
  std::vector<bool> named_;  // whether the node is identified by its name
};

}  // namespace thence::output
