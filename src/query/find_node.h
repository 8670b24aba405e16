// Finds the nodes that a user names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "onnx/model.h"

namespace thence::query {

/// All nodes with this name; if there are none, the node at this location (`#61`, `12.then_branch#0`). Never
/// empty: otherwise it is an error that suggests the nearest names or the valid locations.
Result<std::vector<onnx::NodeId>> find_node(const onnx::Model& model, const std::string& wanted);

}  // namespace thence::query
