// Layer numbers as users write them: 2, 0-3, 5-, -1, -3--1 and lists of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace thence::query {

/// Negative numbers count from the end: -1 is the last layer.
struct LayerRange {
  std::int64_t first = 0, last = 0;

  /// Whether a layer of a list with `count` layers is in the range.
  bool has(std::uint64_t layer, std::uint64_t count) const;
  bool counts_from_end() const { return first < 0 || last < 0; }
};

/// Parses one range. Empty if it is malformed or its end is before its start.
std::optional<LayerRange> parse_layers(std::string_view text);

}  // namespace thence::query
