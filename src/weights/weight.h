// Weight: the parameters of the live model that an initializer holds, and how they were changed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "modules/module_tree.h"

namespace thence::weights {

/// How an initializer was made of its parameters. If several apply, the one that is listed last.
enum class Transform : std::uint8_t {
  none,  // it holds no parameter, or that is not known
  identity,
  transposed,  // the same elements in another order
  cast,        // the same elements in another floating-point type
  split,       // a part of a parameter
  concatenated,
  folded,  // computed from several parameters, such as a convolution and the norm after it
  quantised,
  packed,  // several elements in a byte, or blocks of channels
  scale_of,
  zero_point_of,
};
/// As printed; empty for `none`.
std::string_view name_of(Transform transform);
/// Back from name_of(); `none` for other words.
Transform transform_named(std::string_view name);

/// What names the parameters.
enum class WeightSource : std::uint8_t {
  none,
  name,
  metadata,
  content,
  consumers,
  ancestor,
  quantisation,
  tags
};
/// As printed; empty for `none`.
std::string_view name_of(WeightSource source);

struct Weight {
  /// Names in the state_dict; the one that gave the initializer its shape first. A scale or a zero point has
  /// those of its weight, and none if it belongs to an activation.
  std::vector<std::string> parameters;
  Transform transform = Transform::none;
  WeightSource source = WeightSource::none;
  modules::ModuleId module = modules::no_module;  // as the map reports it

  bool is_known() const { return transform != Transform::none; }
  /// Whether it holds parameters; a scale or a zero point does not.
  bool holds_parameters() const {
    return !parameters.empty() && transform != Transform::scale_of && transform != Transform::zero_point_of;
  }
};

}  // namespace thence::weights
