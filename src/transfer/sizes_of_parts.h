// Sizes and constants that only parts of one operation read, which was taken apart, are parts of it as well,
// even if the ancestor asks for the same sizes elsewhere.
#pragma once

#include <unordered_set>
#include <vector>

#include "transfer/origins.h"

namespace thence::transfer {

/// `wholes`: nodes of the ancestor that were taken apart.
void sizes_of_parts(const Net& descendant, const std::unordered_set<onnx::NodeId>& wholes,
                    std::vector<Origin>& origins);

}  // namespace thence::transfer
