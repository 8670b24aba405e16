// Nodes that were rewritten together with a group: nodes that only its nodes read, scales, and chains of
// views.
#pragma once

#include "diff/groups.h"

namespace thence::diff {

/// Adds ungrouped nodes to the groups that they were rewritten with.
void absorb_rewritten(const Side& a, const Side& b, Grouping& grouping);

}  // namespace thence::diff
