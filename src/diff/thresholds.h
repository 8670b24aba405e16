// The numbers that diff decides by.
// Values were set by hand. There is no record of how one was chosen unless its comment gives the reason; the
// effect of half and of double each: make thresholds FLAGS="--room diff".
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace thence::diff {

/// Share of the nodes that compute with data (0 to 1) below which two models have nothing in common, as
/// `min_overlap` of transfer.
THENCE_THRESHOLD double min_common_nodes = base::tuned("diff_min_common_nodes", 0.1);
/// Number of elements up to which a constant of integers is a setting (sizes, axes, indices) rather than
/// data. Most lists of axes and sizes are as long as a rank.
THENCE_THRESHOLD std::uint64_t max_setting_elements =
    base::tuned("diff_max_setting_elements", std::uint64_t{64});

/// Steps (multiples of the scale) by which a quantised number may differ from the number that it was rounded
/// from: half a step, and as much because quantisers compute the scale in single precision or adjust it.
inline constexpr double max_rounding_steps = 1;
/// The same for large numbers, as a share of them: two roundings to the 24 bits of float32.
inline constexpr double float32_rounding = 1.0 / (1 << 22);

// --- Limits on work. What exceeds them occurs only in unusual or malicious files, and is compared less well.
// ---

/// Nodes of the other model that are compared with one node.
inline constexpr std::size_t max_candidates = 64;
/// Uses of a node that are followed, and operands of each.
inline constexpr std::size_t max_followed_uses = 16, max_operands = 64;
/// Views that are joined with a changed view.
inline constexpr std::size_t max_joined_views = 64;
/// Nodes of a group that are compared with the primitive operations of one operator.
inline constexpr std::size_t max_fused_nodes = 256;
/// Nodes of a group that are searched for a common operator.
inline constexpr std::size_t max_searched_nodes = 16;
/// Weights of a group that are compared regardless of their positions.
inline constexpr std::size_t max_compared_weights = 64;
/// Operands of a commutative node that are compared regardless of their positions.
inline constexpr std::size_t max_swapped_operands = 64;
/// Scales of one weight that are read. A weight with more is not dequantised.
inline constexpr std::uint64_t max_scales = std::uint64_t{1} << 26;
/// How often the same bytes of two weights are compared number by number: with other shapes or scales.
inline constexpr std::size_t max_readings = 16;
/// Identity nodes in a chain between a constant and its use.
inline constexpr int max_identity_chain = 16;

// --- Limits on text ---

/// Operators that a difference names, and numbers that it lists.
inline constexpr std::size_t max_named_operators = 8, max_listed_numbers = 16;
/// Bytes of a setting.
inline constexpr std::size_t max_setting_length = 80;

}  // namespace thence::diff
