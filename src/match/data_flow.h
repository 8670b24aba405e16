// Data flow: whether nodes read each other's results as the steps do that they are assigned to.
#pragma once

#include <vector>

#include "match/align.h"

namespace thence::match {

/// By item: each of its producers was assigned to a step that the item's step reads, through steps that
/// emitted no node; or to the same step, and agrees itself. `steps`: the step of each item, or none.
std::vector<bool> check_data_flow(const capture::Recording& recording, const std::vector<NodeItem>& items,
                                  const std::vector<std::uint32_t>& steps);

}  // namespace thence::match
