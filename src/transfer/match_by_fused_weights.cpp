// Several operations of the ancestor were fused into one, which reads their weights.
#include "transfer/matchers.h"

namespace thence::transfer {

bool match_by_fused_weights(MatchState& state, OperationId ours) {
  const Operation& operation = state.descendant().operation(ours);
  const CanonicalValue end = state.regions().find_fused_by_weights(operation);
  if (end == none) return false;
  auto region = state.regions().find_fused_region(operation, end);
  if (region) state.add_fused(operation, end, *std::move(region));
  return region.has_value();
}

}  // namespace thence::transfer
