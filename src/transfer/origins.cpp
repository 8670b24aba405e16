#include "transfer/origins.h"

#include "transfer/origin_state.h"
#include "transfer/unmatched_nodes.h"

namespace thence::transfer {

std::vector<Origin> origins_of(const ValueGraph& ancestor, const ValueGraph& descendant,
                               const ValueMatching& matching) {
  OriginState state(ancestor, descendant, matching);
  find_operation_origins(state);
  find_split_origins(state);
  find_named_views(state);
  find_aligned_views(state);
  index_unmatched_views(state);
  find_folded_scales(state);
  find_inserted_views(state);
  find_split_shapes(state);
  find_origins_of_unmatched(ancestor, descendant, matching.names, state.origins);
  return std::move(state.origins);
}

}  // namespace thence::transfer
