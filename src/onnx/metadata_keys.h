// Where exporters leave what several rooms ask for: keys of nodes' metadata, and nodes' doc strings.
#pragma once

#include <string_view>

namespace thence::onnx {

/// Where in whose source a node was made: file, line and code of every frame, as PyTorch prints them.
inline constexpr std::string_view stack_trace_key = "pkg.torch.onnx.stack_trace";

/// Whether a node's doc string is such a trace, as PyTorch's TorchScript exporter leaves it when it is
/// verbose: "net.py(12): forward".
inline bool is_stack_trace(std::string_view doc_string) {
  return doc_string.find(".py(") != std::string_view::npos ||
         doc_string.find(".py\", line ") != std::string_view::npos;
}

}  // namespace thence::onnx
