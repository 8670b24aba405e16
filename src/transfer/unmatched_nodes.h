// UnmatchedNodes: nodes whose values are not matched. Constants and shapes come from the origins of their
// uses, unused results from the operation that they are a part of, and nodes of bodies from those of the same
// body.
#pragma once

#include <vector>

#include "transfer/origins.h"

namespace thence::transfer {

/// Fills in origins that are unknown.
void find_origins_of_unmatched(const ValueGraph& ancestor, const ValueGraph& descendant,
                               const ValueNames& names, std::vector<Origin>& origins);

}  // namespace thence::transfer
