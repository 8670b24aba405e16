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

/// By initializer.
std::vector<QuantisationRole> find_quantisation_roles(const onnx::Model& model);

/// Whether an operator reads this input packed: several elements in a byte.
bool is_packed_input(std::string_view op_type, std::size_t input);
/// Whether an operator reads this input as quantised numbers.
bool is_quantised_input(std::string_view op_type, std::size_t input);

}  // namespace thence::weights
