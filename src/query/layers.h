// Layer numbers as users write them: 2, 0-3, 5- and lists of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace thence::query {

struct LayerRange {
  std::uint64_t first = 0, last = 0;
  bool has(std::uint64_t layer) const { return first <= layer && layer <= last; }
};

/// Parses one range. Empty if it is malformed or its end is before its start.
std::optional<LayerRange> parse_layers(std::string_view text);

}  // namespace thence::query
