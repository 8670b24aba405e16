// What was rewritten along with a group: nodes of which only its nodes know, scales, and views in a row.
#pragma once

#include "diff/groups.h"

namespace thence::diff {

/// Adds nodes that are in no group to those that they were rewritten with.
void absorb_rewritten(const Side& a, const Side& b, Grouping& grouping);

}  // namespace thence::diff
