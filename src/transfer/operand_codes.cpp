#include "transfer/operand_codes.h"

#include "transfer/match_state.h"

namespace thence::transfer {

bool OperandCodes::read(const MatchState& state, const Operation& ours) {
  all.clear();
  variable.clear();
  has_changed_weight = false;
  const ValueGraph& graph = state.descendant();
  for (const CanonicalValue input : graph.inputs(ours)) {
    if (const Constant* const constant = graph.constant(input)) {
      all.push_back(constant->fingerprint);
      has_changed_weight |=
          constant->fingerprint == 0 || !state.numbering().fingerprints.contains(constant->fingerprint);
    } else if (state.is_matched(input)) {
      all.push_back(state.class_of(state.partner(input)));
      variable.push_back(all.back());
    } else {
      return false;
    }
  }
  return true;
}

CanonicalValue agreed_output(const MatchState& state, const std::vector<OperationId>& candidates,
                             const Operation& ours) {
  const auto output_of = [&](auto is_candidate) {
    CanonicalValue found = none;
    for (const OperationId id : candidates) {
      const Operation& each = state.ancestor().operation(id);
      if (!is_candidate(each)) continue;
      if (found != none && !state.are_congruent(found, each.output)) return none;
      if (found == none) found = each.output;
    }
    return found;
  };
  CanonicalValue found = output_of([](const Operation&) { return true; });
  if (found == none)
    found = output_of([&](const Operation& each) { return each.attribute_hash == ours.attribute_hash; });
  if (found == none && ours.slice_start >= 0)
    found = output_of([&](const Operation& each) { return each.slice_start == ours.slice_start; });
  return found;
}

}  // namespace thence::transfer
