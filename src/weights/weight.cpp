#include "weights/weight.h"

namespace thence::weights {

std::string_view name_of(Transform transform) {
  static constexpr std::string_view names[] = {"",       "identity",     "transposed",   "cast",
                                               "split",  "concatenated", "folded with",  "quantised",
                                               "packed", "scale of",     "zero point of"};
  return names[static_cast<std::size_t>(transform)];
}

std::string_view name_of(WeightSource source) {
  static constexpr std::string_view names[] = {"",          "name",     "metadata",    "content",
                                               "consumers", "ancestor", "quantisation"};
  return names[static_cast<std::size_t>(source)];
}

}  // namespace thence::weights
