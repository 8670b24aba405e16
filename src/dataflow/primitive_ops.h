// Fused and quantised operators as sequences of primitive operations, so that a model and its optimised form
// can be compared.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "onnx/model.h"

namespace thence::dataflow {

/// One operation of a node.
struct PrimitiveOp {
  std::string_view op;
  std::vector<int> inputs = {};        // indices of the node's inputs, or `previous`
  std::size_t all = 0;                 // instead of `inputs`: the first `all` inputs of the node
  static constexpr int previous = -1;  // the result of the operation before

  std::size_t input_count() const { return all > 0 ? all : inputs.size(); }
  int input(std::size_t i) const { return all > 0 ? static_cast<int>(i) : inputs[i]; }
};

/// The operations of a node in order; most nodes are one. The last one writes the node's first output.
std::vector<PrimitiveOp> primitives_of(const onnx::Node& node);
/// The operator of the last one, without making the list for most nodes.
std::string_view last_primitive(const onnx::Node& node);

/// Whether every node of an operator is one operation of that name.
bool is_primitive(std::string_view op_type);

/// The index of the output that holds an intermediate result of a fused operator; -1 if there is none.
int intermediate_output(std::string_view op_type);

/// One name for views that rewriters replace by each other.
std::string_view canonical_view_op(const onnx::Node& view);

}  // namespace thence::dataflow
