// The operands of a matched operation are the operands of its partner.
#include <algorithm>

#include "transfer/matchers.h"

namespace thence::transfer {
namespace {

// Two operands in the same position.
void match_operands(MatchState& state, CanonicalValue ours, CanonicalValue theirs) {
  const ValueGraph& ancestor = state.ancestor();
  if (state.descendant().constant(ours) != nullptr || ancestor.constant(theirs) != nullptr) return;
  if (!state.is_matched(ours)) {
    // A no-op before the consumer may have been removed.
    const CanonicalValue source =
        state.have_same_operator(ours, theirs) ? theirs : ancestor.skip_noops(theirs);
    if (state.have_same_operator(ours, source))
      state.add_match(ours, source, Proof::consumers);
    else
      state.add_hint(ours, source);
    return;
  }
  const CanonicalValue partner = state.partner(ours);
  if (state.are_congruent(partner, theirs)) return;
  if (state.are_congruent_without_noop(partner, theirs)) state.add_removed_noop(theirs);
  // Its consumers read several values in the ancestor: these were merged.
  if (state.proof(ours) == Proof::consumers && state.have_same_operator(ours, theirs))
    state.add_merged(ours, theirs);
}

// The variable operands of a commutative operation that have no counterpart among those of the other.
template <class IsSame>
std::vector<CanonicalValue> unmatched_operands(const ValueGraph& graph,
                                               const std::vector<CanonicalValue>& operands,
                                               const std::vector<CanonicalValue>& others, IsSame is_same) {
  std::vector<CanonicalValue> found;
  for (const CanonicalValue operand : operands)
    if (graph.constant(operand) == nullptr &&
        std::none_of(others.begin(), others.end(),
                     [&](CanonicalValue other) { return is_same(operand, other); }))
      found.push_back(operand);
  return found;
}

void match_commutative(MatchState& state, const std::vector<CanonicalValue>& ours,
                       const std::vector<CanonicalValue>& theirs) {
  const auto is_partner = [&](CanonicalValue mine, CanonicalValue other) {
    return state.is_matched(mine) && state.are_congruent(state.partner(mine), other);
  };
  const auto unmatched = unmatched_operands(state.descendant(), ours, theirs, is_partner);
  auto candidates =
      unmatched_operands(state.ancestor(), theirs, ours,
                         [&](CanonicalValue other, CanonicalValue mine) { return is_partner(mine, other); });
  // Some of the ancestor's may be constants in the descendant: then the operators decide.
  if (unmatched.size() == 1 && candidates.size() > 1)
    std::erase_if(candidates,
                  [&](CanonicalValue value) { return !state.have_same_operator(unmatched.front(), value); });
  if (unmatched.size() == 1 && candidates.size() == 1)
    match_operands(state, unmatched.front(), candidates.front());
}

}  // namespace

bool match_by_consumers(MatchState& state, OperationId ours) {
  const Operation& operation = state.descendant().operation(ours);
  const OperationId producer = state.ancestor().producer(state.partner(operation.output));
  if (producer == none || state.ancestor().operation(producer).op != operation.op) return false;
  std::vector<CanonicalValue>&mine = state.buffers().ours, &others = state.buffers().theirs;
  state.numbering().data_inputs(state.descendant(), operation, mine);
  state.numbering().data_inputs(state.ancestor(), state.ancestor().operation(producer), others);
  if (mine.size() != others.size()) return false;
  if (operation.is_commutative)
    match_commutative(state, mine, others);
  else
    for (std::size_t i = 0; i < mine.size(); ++i) match_operands(state, mine[i], others[i]);
  return true;
}

}  // namespace thence::transfer
