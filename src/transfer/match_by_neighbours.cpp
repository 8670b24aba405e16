// The only operation that the matches around it allow.
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
