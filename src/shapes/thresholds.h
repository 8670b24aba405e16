// Thresholds and limits of shape inference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/threshold.h"

namespace thence::shapes {

/// Tensors with more elements than this are weights, not shapes, and their numbers are not tracked. At most
/// 254, because a length is stored in a byte.
THENCE_THRESHOLD std::size_t most_content = base::tuned<std::size_t>("shapes_most_content", 64);

/// Exporters write the end of an open slice as a number of at least this size: the largest number of 32 or of
/// 64 bits.
THENCE_THRESHOLD std::int64_t slice_to_end =
    base::tuned<std::int64_t>("shapes_slice_to_end", std::numeric_limits<std::int32_t>::max() / 2);

/// Larger floats are not sizes.
inline constexpr float largest_float_size = 1e9f;

/// Safety caps. A function is processed once per call, because shapes differ: at most `looks_a_node` times
/// the number of nodes and values, plus `spare_looks`. Nested functions and bodies are processed up to depth
/// `deepest`.
inline constexpr std::size_t looks_a_node = 4, spare_looks = 10'000, deepest = 64;

/// Safety caps: bytes of an Einsum equation, and of a named size. Products of longer names would be too long
/// to print.
inline constexpr std::size_t longest_equation = 256, longest_name = 64;

}  // namespace thence::shapes
