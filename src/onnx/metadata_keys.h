// Keys of nodes' metadata that exporters write and several rooms ask for.
#pragma once

#include <string_view>

namespace thence::onnx {

/// Where in whose source a node was made: file, line and code of every frame, as PyTorch prints them.
inline constexpr std::string_view stack_trace_key = "pkg.torch.onnx.stack_trace";

}  // namespace thence::onnx
