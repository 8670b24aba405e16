// Source lines: where in somebody's code a node was made, where the exporter kept that: dynamo's stack
// traces, and TorchScript's in doc strings.
#pragma once

#include <string_view>
#include <vector>

#include "onnx/model.h"

namespace thence::output {

struct Frame {
  std::string_view file, function;
  std::uint32_t line = 0;
  std::string_view code;  // empty when the trace has none
};

/// Frames of a node's stack trace: those of people's own code first, the innermost of them first; then
/// PyTorch's.
std::vector<Frame> source_lines(const onnx::Node& node);

/// The same of the text of a trace.
std::vector<Frame> read_frames(std::string_view trace);

}  // namespace thence::output
