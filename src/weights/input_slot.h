// The parameter that an operator's input holds, by the names that torch.nn gives to parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "onnx/model.h"
#include "weights/weight.h"

namespace thence::weights {

struct InputSlot {
  std::vector<std::string> names;  // last parts of the paths, in the order of their elements
  Transform transform = Transform::identity;

  bool operator==(const InputSlot&) const = default;
};

/// Nothing if the operator computes with any tensor at this input, not only with parameters. `layer` is the
/// number of the recurrent node in its module: each layer of a recurrent module is one node.
std::optional<InputSlot> slot_of(const onnx::Node& node, std::uint32_t input, std::uint32_t layer = 0);
/// The slot of a vector that a node reads in a module that computes a norm from its parts.
std::optional<InputSlot> slot_of_norm(const onnx::Node& node);
bool is_recurrent(std::string_view op_type);

}  // namespace thence::weights
