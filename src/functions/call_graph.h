// CallGraph: which function each node calls, and how often each function runs in total. Functions that must
// not be expanded count as ordinary operators.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "onnx/model.h"

namespace thence::functions {

class CallGraph {
 public:
  /// Chooses the functions to expand. Returns an error if they call each other in a cycle or nest too deep,
  /// or if the expanded model would be too large.
  static Result<CallGraph> make(const onnx::Model& model,
                                const std::function<bool(const onnx::Graph&)>& is_expanded);

  /// The function that a node calls; none for operators and for functions that are not expanded.
  onnx::GraphId callee(onnx::NodeId node) const { return callees_[node]; }
  /// Whether a node is a call, or has one in its bodies.
  bool has_calls(onnx::NodeId node) const { return has_calls_[node]; }
  bool is_expanded(onnx::GraphId graph) const { return expanded_[graph]; }
  /// How often the main graph runs a function, directly and through others.
  std::uint64_t instances(onnx::GraphId function) const { return instances_[function]; }
  /// One past the last graph of the main graph or a function: its bodies follow it.
  onnx::GraphId end_of(onnx::GraphId graph) const { return ends_[graph]; }
  /// The bytes that the expanded nodes may have.
  std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  struct Size {
    std::uint64_t nodes = 0, bytes = 0;
  };
  explicit CallGraph(const onnx::Model& model) : model_(&model) {}
  void find_calls(const std::function<bool(const onnx::Graph&)>& is_expanded);
  void mark_owners_of_calls();
  /// The functions, callers first.
  Result<std::vector<onnx::GraphId>> sort_functions() const;
  std::optional<Error> count_instances(const std::vector<onnx::GraphId>& sorted);
  Size size_of(onnx::GraphId function) const;
  Error cycle(const std::vector<onnx::GraphId>& chain) const;

  const onnx::Model* model_;
  std::vector<onnx::GraphId> callees_;            // by node
  std::vector<bool> has_calls_;                   // by node
  std::vector<bool> expanded_;                    // by graph
  std::vector<onnx::GraphId> ends_;               // by graph; for the main graph and functions
  std::vector<std::vector<onnx::NodeId>> calls_;  // by graph: the calls in it and in its bodies
  std::vector<std::uint64_t> instances_;          // by graph
  std::uint64_t max_bytes_ = 0;
};

}  // namespace thence::functions
