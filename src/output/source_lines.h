// Source lines: the Python code that created a node, if the exporter recorded it. The dynamo exporter writes
// stack traces into metadata, the TorchScript exporter into doc strings.
#pragma once

#include <string_view>
#include <vector>

#include "onnx/model.h"

namespace thence::output {

struct Frame {
  std::string_view file, function;
  std::uint32_t line = 0;
  std::string_view code;  // empty if the trace has none
};

/// The frames of a node's stack trace: user code first, innermost frame first, then PyTorch code.
std::vector<Frame> source_lines(const onnx::Node& node);

/// The same for the text of a trace.
std::vector<Frame> read_frames(std::string_view trace);

}  // namespace thence::output
