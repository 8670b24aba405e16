// Limits of expanding functions. A few nested functions that call each other twice stand for more nodes than
// any memory holds.
#pragma once

#include <cstdint>

namespace thence::functions {

/// Nodes of the expanded model. The largest exports have about a million.
// errors.md: nodes of a folded model, or of any model for `unfold`, with all calls expanded
inline constexpr std::uint64_t max_expanded_nodes = std::uint64_t{1} << 22;

/// Bytes of the expanded nodes: this number, and a multiple of the size of the file without its weights.
/// Most files that were folded expand to 2 to 10 times that size; a hundred equal layers to less than 50
/// times.
// errors.md: nodes of a folded model, or of any model for `unfold`, with all calls expanded
inline constexpr std::uint64_t max_expanded_bytes = std::uint64_t{16} << 20, max_expanded_ratio = 100;

/// Functions that call each other, one inside the other, and bodies of the expanded model, each in a node of
/// another. Expanding recurses for each. Modules nest at most 64 deep; a body takes three levels of messages,
/// so that deeper ones could not be read again.
// errors.md: functions that call each other, in a folded model or for `unfold`
inline constexpr std::uint32_t max_call_depth = 100;
// errors.md: nested messages
inline constexpr int max_body_depth = 33;

}  // namespace thence::functions
