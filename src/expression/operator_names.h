// The names of operators that exist, whether or not a model has them.
#pragma once

#include <span>
#include <string_view>

namespace thence::expression {

/// The operators of ONNX in all versions, and those that ONNX Runtime adds; sorted in two parts.
std::span<const std::string_view> standard_operators();

}  // namespace thence::expression
