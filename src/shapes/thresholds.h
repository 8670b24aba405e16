// Thresholds and limits of shape inference.
// Values were set by hand. There is no record of how one was chosen unless its comment gives the reason; the
// effect of half and of double each: make thresholds FLAGS="--room shapes".
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/threshold.h"

namespace thence::shapes {

/// Number of elements above which a tensor is a weight, not a shape, and its numbers are not tracked. Shapes
/// have as many elements as a rank. At most 254, because a length is stored in a byte.
THENCE_THRESHOLD std::size_t max_content_elements =
    base::tuned<std::size_t>("shapes_max_content_elements", 64);

/// Exporters write the end of an open slice as the largest number of 32 or of 64 bits. Half of the smaller
/// one is larger than any dimension.
THENCE_THRESHOLD std::int64_t min_open_slice_end =
    base::tuned<std::int64_t>("shapes_min_open_slice_end", std::numeric_limits<std::int32_t>::max() / 2);

/// Larger floats are not sizes. Floats represent all integers up to 2^24.
inline constexpr float max_float_size = 1e9f;

/// Safety caps. A function is processed once per call, because shapes differ: at most `visits_per_node` times
/// the number of nodes and values, plus `extra_visits`. Nested functions and bodies are processed up to depth
/// `max_depth`.
inline constexpr std::size_t visits_per_node = 4, extra_visits = 10'000, max_depth = 64;

/// Safety caps: bytes of an Einsum equation, and of a named size. Products of longer names would be too long
/// to print.
inline constexpr std::size_t max_equation_bytes = 256, max_name_bytes = 64;

}  // namespace thence::shapes
