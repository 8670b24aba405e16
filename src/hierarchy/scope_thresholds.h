// Thresholds of matching scopes, and functions written by `thence fold`, with modules. What exceeds them
// stays unknown.
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::hierarchy {

/// Modules that one scope may match, and owners of the parameters that it reads. A scope with more is
/// unknown.
// errors.md: candidate modules of one scope
THENCE_THRESHOLD std::size_t most_candidates = base::tuned<std::size_t>("hierarchy_most_candidates", 1024);

/// Rounds in which decided scopes decide others. The rounds end early once nothing changes.
THENCE_THRESHOLD int most_connection_rounds = base::tuned("hierarchy_most_connection_rounds", 64);

/// Safety caps on the work for candidates and on their number: a minimum, plus an allowance per scope.
inline constexpr std::size_t min_work = std::size_t{1} << 22, work_per_scope = 64;
// errors.md: candidate modules of one scope
inline constexpr std::size_t min_candidates_kept = std::size_t{1} << 18;
inline constexpr std::size_t candidates_kept_per_scope = 4;

}  // namespace thence::hierarchy
