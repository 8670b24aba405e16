#include "weights/weight.h"

namespace thence::weights {

std::string_view name_of(Transform transform) {
  static constexpr std::string_view names[] = {"",       "identity",     "transposed",   "cast",
                                               "split",  "concatenated", "folded with",  "quantised",
                                               "packed", "scale of",     "zero point of"};
  return names[static_cast<std::size_t>(transform)];
}

Transform transform_named(std::string_view name) {
  for (std::uint8_t i = 1; i <= static_cast<std::uint8_t>(Transform::zero_point_of); ++i)
    if (name_of(static_cast<Transform>(i)) == name) return static_cast<Transform>(i);
  return Transform::none;
}

std::string_view name_of(WeightSource source) {
  static constexpr std::string_view names[] = {"",          "name",     "metadata",     "content",
                                               "consumers", "ancestor", "quantisation", "tags"};
  return names[static_cast<std::size_t>(source)];
}

}  // namespace thence::weights
