// The same operation on the same operands.
#include "transfer/matchers.h"

namespace thence::transfer {

bool match_by_inputs(MatchState& state, OperationId ours) {
  const Operation& operation = state.descendant().operation(ours);
  OperandCodes& codes = state.buffers().codes;
  std::vector<OperationId>& candidates = state.buffers().candidates;
  if (!codes.read(state, operation) || codes.variable.empty()) return false;
  if (!state.numbering().by_operands.find(ValueNumbering::key_of(operation, codes.all), candidates))
    return false;
  const CanonicalValue theirs = agreed_output(state, candidates, operation);
  if (theirs == none) return false;
  const CanonicalValue same_named = state.same_name(operation.output);
  // If a no-op before it was removed, the operation of the same name reads the same value.
  if (same_named != none && !state.are_congruent(same_named, theirs) && match_by_name(state, ours))
    return true;
  state.accept(operation, theirs, same_named == theirs ? Proof::name : Proof::inputs);
  return true;
}

}  // namespace thence::transfer
