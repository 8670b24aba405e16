// The only operation that reads a weight.
#include "transfer/matchers.h"

namespace thence::transfer {

bool match_by_weight(MatchState& state, OperationId ours) {
  const ValueGraph& graph = state.descendant();
  const Operation& operation = graph.operation(ours);
  std::vector<OperationId>& candidates = state.buffers().candidates;
  for (const CanonicalValue input : graph.inputs(operation)) {
    const Constant* const weight = graph.constant(input);
    if (weight == nullptr || weight->fingerprint == 0 || weight->elements < min_identifying_elements)
      continue;
    if (!state.numbering().by_weight.find(ValueNumbering::weight_key(operation, *weight), candidates) ||
        candidates.size() != 1)
      continue;
    const Operation& theirs = state.ancestor().operation(candidates.front());
    if (state.is_taken(theirs.output) || theirs.input_count != operation.input_count) continue;
    state.accept(operation, theirs.output, Proof::weight);
    return true;
  }
  return false;
}

}  // namespace thence::transfer
