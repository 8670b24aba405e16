// A no-op that the ancestor lacks: another exporter may write a Slice of everything. Its output is the value
// that it forwards.
#include <algorithm>

#include "transfer/matchers.h"

namespace thence::transfer {
namespace {

// Whether the ancestor has the same operator on the same operands. The key of a Slice is that of a Gather, so
// the names are compared.
bool has_counterpart(MatchState& state, const Operation& ours) {
  OperandCodes& codes = state.buffers().codes;
  std::vector<OperationId>& candidates = state.buffers().candidates;
  if (!codes.read(state, ours)) return true;  // not known yet
  if (!state.numbering().by_operands.find(ValueNumbering::key_of(ours, codes.all), candidates)) return false;
  const std::string_view name = state.descendant().model().node(ours.node).op_type();
  return std::any_of(candidates.begin(), candidates.end(), [&](OperationId id) {
    const Operation& theirs = state.ancestor().operation(id);
    return state.ancestor().model().node(theirs.node).op_type() == name;
  });
}

}  // namespace

bool match_noop(MatchState& state, OperationId ours) {
  const Operation& operation = state.descendant().operation(ours);
  if (operation.forwarded_input == none || !state.is_matched(operation.forwarded_input)) return false;
  if (has_counterpart(state, operation)) return false;
  state.add_match(operation.output, state.partner(operation.forwarded_input), Proof::forwarded);
  return true;
}

}  // namespace thence::transfer
