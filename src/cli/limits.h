// Limits of what is printed.
#pragma once

#include <cstddef>

namespace thence::cli {

/// Notes of one kind; the number of the others follows.
inline constexpr std::size_t max_notes = 3;

/// Module paths that a shell is offered. Shells ask before they print more than a hundred.
inline constexpr std::size_t max_candidates = 2000;

}  // namespace thence::cli
