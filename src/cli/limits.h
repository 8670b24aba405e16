// Limits of what is printed.
#pragma once

#include <cstddef>

namespace thence::cli {

/// Text from a file in a message. Longer text is cut in the middle; its end often differs, so this much of it
/// is kept.
inline constexpr std::size_t max_brief_bytes = 400, brief_end_bytes = 100;

/// Notes of one kind; the number of the others follows.
inline constexpr std::size_t max_notes = 3;

/// Module paths that a shell is offered. Shells ask before they print more than a hundred.
inline constexpr std::size_t max_candidates = 2000;

}  // namespace thence::cli
