// Nodes as the lists that other tools take.
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
  std::vector<Diagnostic> diagnostics;  // what such a list cannot say
};

struct ToolListOptions {
  std::string_view precision = "fp32";  // of tensorrt-layers
};

/// The lists there are: nodes-to-exclude and the others.
const std::vector<std::string_view>& tool_list_names();

/// An error says that the list would be empty, or cannot be made of these nodes.
Result<ToolList> tool_list(std::string_view name, const onnx::Model& model,
                           std::span<const onnx::NodeId> nodes, const ToolListOptions& options);

}  // namespace thence::query
