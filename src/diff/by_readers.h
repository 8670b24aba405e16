// Nodes that are the same because what reads them is: for those that read nothing that tells.
#pragma once

#include "diff/groups.h"

namespace thence::diff {

/// Groups nodes of one operator that are read in the same place by nodes of one group.
void group_by_readers(const Side& a, const Side& b, Grouping& grouping);

}  // namespace thence::diff
