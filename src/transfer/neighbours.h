// Candidates for an unmatched operation, by the matches around it.
#pragma once

#include "transfer/match_state.h"

namespace thence::transfer {

/// The operation of the ancestor with the same operator that reads, or is read by, the partners of what
/// `ours` reads or is read by, and that no match contradicts. None if there is none, if there are several, or
/// if it is also a candidate for another unmatched operation of the descendant.
OperationId unique_candidate(const MatchState& state, OperationId ours);

/// All such operations of the ancestor, for each unmatched operation that has any.
Candidates all_candidates(const MatchState& state);

}  // namespace thence::transfer
