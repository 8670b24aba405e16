// Everything the Model view sees of a file, as JSON lines: one for the model, one a graph, one a node.
// The differential tests compare them with what libprotobuf sees of the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "onnx/model.h"

namespace thence::tools {

/// A JSON string. A byte that is not UTF-8 becomes \udcNN, as Python's "surrogateescape" has it, so that
/// different bytes never look the same.
std::string quoted(std::string_view text);

std::string model_lines(const onnx::Model& model);

}  // namespace thence::tools
