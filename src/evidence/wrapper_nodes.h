// Nodes of a file that are not of the recorded model: the file wraps that model in another one, and has the
// wrapper's own layers.
#pragma once

#include <vector>

#include "hierarchy/hierarchy.h"
#include "onnx/model.h"

namespace thence::evidence {

/// By node. Empty if the file wraps nothing.
std::vector<bool> find_wrapper_nodes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy);

}  // namespace thence::evidence
