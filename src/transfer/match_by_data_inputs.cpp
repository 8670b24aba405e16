// The only operation of its kind on the same variable operands, if its weights were changed beyond
// recognition.
#include "transfer/matchers.h"

namespace thence::transfer {
namespace {

// Whether another unmatched operation of the same kind reads the same value.
bool has_rival(const MatchState& state, OperationId ours) {
  const ValueGraph& graph = state.descendant();
  const Operation& operation = graph.operation(ours);
  for (const OperationId other : graph.uses(graph.inputs(operation)[0]))
    if (other != ours && graph.operation(other).op == operation.op &&
        !state.is_matched(graph.operation(other).output))
      return true;
  return false;
}

}  // namespace

bool match_by_data_inputs(MatchState& state, OperationId ours) {
  const Operation& operation = state.descendant().operation(ours);
  OperandCodes& codes = state.buffers().codes;
  std::vector<OperationId>& candidates = state.buffers().candidates;
  if (!codes.read(state, operation) || codes.variable.empty()) return false;
  const ValueNumbering& numbering = state.numbering();
  // A weight may have been mistaken for another: then no operation reads it together with these operands.
  if (!codes.has_changed_weight &&
      (!numbering.by_operands.find(ValueNumbering::key_of(operation, codes.all), candidates) ||
       !candidates.empty()))
    return false;
  if (!numbering.by_data_operands.find(ValueNumbering::key_of(operation, codes.variable), candidates))
    return false;
  const CanonicalValue theirs = agreed_output(state, candidates, operation);
  if (theirs == none || state.is_taken(theirs) || has_rival(state, ours)) return false;
  state.accept(operation, theirs, Proof::unique_remaining);
  return true;
}

}  // namespace thence::transfer
