// Layers as people name them: 2, 0-3, 5- and lists of these.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace thence::query {

struct LayerRange {
  std::uint64_t first = 0, last = 0;
  bool has(std::uint64_t layer) const { return first <= layer && layer <= last; }
};

/// One of them; nothing when it is malformed or ends before it begins.
std::optional<LayerRange> read_layers(std::string_view text);

}  // namespace thence::query
