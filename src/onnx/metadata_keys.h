// Metadata that exporters write and several rooms read: keys of node metadata, and doc strings of nodes.
#pragma once

#include <string_view>

namespace thence::onnx {

/// The Python stack trace of a node: file, line and code of each frame, as PyTorch prints them.
inline constexpr std::string_view stack_trace_key = "pkg.torch.onnx.stack_trace";

/// Whether a doc string is a stack trace, as the TorchScript exporter of PyTorch writes it in verbose mode:
/// "net.py(12): forward".
inline bool is_stack_trace(std::string_view doc_string) {
  return doc_string.find(".py(") != std::string_view::npos ||
         doc_string.find(".py\", line ") != std::string_view::npos;
}

}  // namespace thence::onnx
