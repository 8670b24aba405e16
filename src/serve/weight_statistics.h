// Statistics of the numbers of one weight: range, mean, zeros, and a histogram.
#pragma once

#include <string>

#include "base/result.h"
#include "onnx/model.h"

namespace thence::serve {

/// Reads the constant that an input of a node is, also from external data, and writes its statistics as JSON.
/// Of more than `max_counted_elements`, equally spaced ones are counted.
Result<std::string> weight_statistics(const onnx::Model& model, onnx::NodeId node, std::size_t input);

}  // namespace thence::serve
