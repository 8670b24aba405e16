// Shapes and constants that only the parts of a split operation read. They come from that operation, even if
// the ancestor computes the same shapes elsewhere.
#pragma once

#include <unordered_set>
#include <vector>

#include "transfer/origins.h"

namespace thence::transfer {

/// `wholes`: nodes of the ancestor that were split.
void find_shapes_of_parts(const ValueGraph& descendant, const std::unordered_set<onnx::NodeId>& wholes,
                          std::vector<Origin>& origins);

}  // namespace thence::transfer
