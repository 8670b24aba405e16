// One operation of the ancestor was split into several, which together read its weights.
#include "transfer/matchers.h"

namespace thence::transfer {

bool match_by_split_weights(MatchState& state, OperationId ours) {
  const Operation& operation = state.descendant().operation(ours);
  const CanonicalValue whole = state.regions().find_split_by_weights(operation);
  if (whole == none) return false;
  auto parts = state.regions().find_split_parts(operation, whole);
  if (parts) state.add_split(operation, whole, *std::move(parts));
  return parts.has_value();
}

}  // namespace thence::transfer
