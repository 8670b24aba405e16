// Scales and zero points: initializers that belong to a quantised tensor and hold no parameter.
#pragma once

#include <vector>

#include "onnx/model.h"
#include "weights/weight.h"

namespace thence::weights {

struct QuantisationRole {
  Transform role = Transform::none;         // scale_of, zero_point_of, or none
  std::vector<std::uint32_t> weights = {};  // the initializers that it belongs to; empty: an activation's
};

/// One quantised input of an operator, and the inputs with its scale and zero point; `onnx::none` if it has
/// none.
struct QuantisedInput {
  std::string_view op;
  std::uint32_t tensor, scale, zero_point;
};
/// Null if an operator does not read this input as quantised numbers.
const QuantisedInput* quantised_input(std::string_view op_type, std::size_t input);
/// Whether an input of an operator is the scale or the zero point of another, or of the result.
bool is_scale_or_zero_point(std::string_view op_type, std::size_t input);

/// By initializer.
std::vector<QuantisationRole> find_quantisation_roles(const onnx::Model& model);

/// Whether an operator reads this input packed: several elements in a byte.
bool is_packed_input(std::string_view op_type, std::size_t input);
/// Whether an operator reads this input as quantised numbers.
bool is_quantised_input(std::string_view op_type, std::size_t input);

}  // namespace thence::weights
