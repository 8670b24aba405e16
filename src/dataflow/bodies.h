// Which graphs a node runs besides its own operator: the bodies that it holds, and the function that it
// calls.
#pragma once

#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "onnx/model.h"

namespace thence::dataflow {

class Bodies {
 public:
  explicit Bodies(const onnx::Model& model);

  /// The bodies that a node holds, in file order; none for most nodes. The node that holds a body is the
  /// body's Graph::owner.
  std::span<const onnx::GraphId> held_by(onnx::NodeId node) const;

 private:
  std::vector<onnx::NodeId> owners_;   // sorted; one for each body
  std::vector<onnx::GraphId> bodies_;  // by place in `owners_`
};

/// The functions of a model and their calls.
class Functions {
 public:
  explicit Functions(const onnx::Model& model);

  /// By domain, name and overload. If several have the same, the first one counts.
  std::span<const onnx::GraphId> all() const { return functions_; }
  bool empty() const { return functions_.empty(); }
  /// The function that a node calls, or none.
  onnx::GraphId called_by(const onnx::Node& node) const;
  /// Whether some overload has the domain and the name of the node's operator.
  bool has_overload_of(const onnx::Node& node) const;
  /// One past the last graph of a function: its body, then the bodies of its nodes.
  onnx::GraphId end_of(onnx::GraphId function) const;

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;

  const onnx::Model& model_;
  std::vector<Key> keys_;                 // sorted
  std::vector<onnx::GraphId> functions_;  // by place in `keys_`
};

}  // namespace thence::dataflow
