// Thresholds and limits of shape inference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/threshold.h"

namespace thence::shapes {

/// Tensors with more elements than this are weights, not shapes: their numbers are not followed. At most 254,
/// as a length is kept in a byte.
THENCE_THRESHOLD std::size_t most_content = base::tuned<std::size_t>("shapes_most_content", 64);

/// Exporters write "to the end" of a slice as a number from here on: the largest of 32 or of 64 bits.
THENCE_THRESHOLD std::int64_t slice_to_end =
    base::tuned<std::int64_t>("shapes_slice_to_end", std::numeric_limits<std::int32_t>::max() / 2);

/// Floats above this are no sizes.
inline constexpr float largest_float_size = 1e9f;

/// Safety caps. A function is looked at once for each call, since shapes differ: so many times the number of
/// nodes and values, and these to spare. Functions and bodies within one another are followed to a depth.
inline constexpr std::size_t looks_a_node = 4, spare_looks = 10'000, deepest = 64;

/// Safety caps: bytes of an Einsum equation, and of a named size. Products of longer names would fill pages.
inline constexpr std::size_t longest_equation = 256, longest_name = 64;

}  // namespace thence::shapes
