// Nodes of both models that are the same because their uses are: for nodes whose inputs identify nothing.
#pragma once

#include "diff/groups.h"

namespace thence::diff {

/// Groups ungrouped nodes of one operator that are the same operand of nodes of one group.
void group_by_uses(const Side& a, const Side& b, Grouping& grouping);

}  // namespace thence::diff
