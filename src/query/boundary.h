// Boundary: the values at the edge of some nodes, as inputs and outputs of a model made of them.
#pragma once

#include <span>
#include <vector>

#include "onnx/model.h"

namespace thence::query {

struct Boundary {
  std::vector<onnx::ValueId> inputs;   // that others write, or the model is given
  std::vector<onnx::ValueId> outputs;  // that others read, or the model gives
  std::size_t in_functions = 0;        // nodes in bodies of functions, which are no part of any graph
};

/// Of nodes of the main graph; what lies in a body goes with the node that holds the body. What is the same
/// in every run, such as a constant or a transposed weight, comes along and is no input.
Boundary boundary_of(const onnx::Model& model, std::span<const onnx::NodeId> nodes);

}  // namespace thence::query
