// A value whose name survived. A name alone is a coincidence: some operand of its producer must be matched,
// be a weight or have the same name, and no matched operand may contradict.
#include <algorithm>

#include "transfer/matchers.h"

namespace thence::transfer {

bool match_by_name(MatchState& state, OperationId ours) {
  const ValueGraph &ancestor = state.ancestor(), &descendant = state.descendant();
  const Operation& operation = descendant.operation(ours);
  const CanonicalValue same_named = state.same_name(operation.output);
  if (same_named == none || state.is_taken(same_named)) return false;
  const Operation& theirs = ancestor.operation(ancestor.producer(same_named));
  if (theirs.input_count != operation.input_count) return false;
  const auto others = ancestor.inputs(theirs);
  bool is_supported = false;
  for (const CanonicalValue input : descendant.inputs(operation)) {
    if (const Constant* const constant = descendant.constant(input)) {
      is_supported |= constant->elements >= min_identifying_elements;  // the weights are equal
      continue;
    }
    const CanonicalValue partner = state.partner(input);
    const bool agrees = std::any_of(others.begin(), others.end(), [&](CanonicalValue other) {
      return partner != none ? state.are_congruent_without_noop(partner, other)
                             : dataflow::have_same_name(descendant, input, ancestor, other);
    });
    if (partner != none && !agrees) return false;
    is_supported |= agrees;
  }
  if (is_supported) state.add_match(operation.output, same_named, Proof::name);
  return is_supported;
}

}  // namespace thence::transfer
