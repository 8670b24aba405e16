// Matches an operation if exactly one operation of the ancestor is compatible with the matches around it; see
// unique_candidate(). Constants are matched by their consumers later.
#include "transfer/matchers.h"
#include "transfer/neighbours.h"

namespace thence::transfer {

bool match_by_neighbours(MatchState& state, OperationId ours) {
  const Operation& operation = state.descendant().operation(ours);
  if (state.descendant().constant(operation.output) != nullptr) return false;
  const OperationId theirs = unique_candidate(state, ours);
  if (theirs == none) return false;
  state.accept(operation, state.ancestor().operation(theirs).output, Proof::neighbours);
  return true;
}

}  // namespace thence::transfer
