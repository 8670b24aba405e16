// Boundary: the inputs and outputs of a model made of a set of nodes.
#pragma once

#include <span>
#include <vector>

#include "onnx/model.h"

namespace thence::query {

struct Boundary {
  std::vector<onnx::ValueId> inputs;   // written by other nodes or given to the model
  std::vector<onnx::ValueId> outputs;  // read by other nodes or returned by the model
  std::size_t in_functions = 0;        // nodes in functions, which are not part of a graph
};

/// For nodes of the main graph. A node in a body counts as the node of the main graph that contains it.
/// Values that are the same in every run, such as a constant or a transposed weight, are included and are not
/// inputs.
Boundary boundary_of(const onnx::Model& model, std::span<const onnx::NodeId> nodes);

}  // namespace thence::query
