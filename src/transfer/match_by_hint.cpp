// A suggested value, if everything between it and the operands was fused, or if it was split.
#include "transfer/matchers.h"

namespace thence::transfer {

bool match_by_hint(MatchState& state, OperationId ours) {
  const Operation& operation = state.descendant().operation(ours);
  const CanonicalValue hint = state.hint(operation.output);
  if (hint == none || state.ancestor().producer(hint) == none) return false;
  if (auto region = state.regions().find_fused_region(operation, hint)) {
    state.add_fused(operation, hint, *std::move(region));
    return true;
  }
  auto parts = state.regions().find_split_parts(operation, hint);
  if (parts) state.add_split(operation, hint, *std::move(parts));
  return parts.has_value();
}

}  // namespace thence::transfer
