// Lists of nodes in the formats of other tools.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "onnx/model.h"

namespace thence::query {

struct ToolList {
  std::string text;
  std::vector<Diagnostic> diagnostics;  // about nodes that the list cannot represent
};

struct ToolListOptions {
  std::string_view precision = "fp32";  // for tensorrt-layers
};

/// The available lists: nodes-to-exclude and the others.
const std::vector<std::string_view>& tool_list_names();

/// Returns an error if the list would be empty, or cannot represent these nodes.
Result<ToolList> tool_list(std::string_view name, const onnx::Model& model,
                           std::span<const onnx::NodeId> nodes, const ToolListOptions& options);

}  // namespace thence::query
