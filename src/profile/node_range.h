// The nodes between two nodes of a graph.
#pragma once

#include <vector>

#include "onnx/model.h"

namespace thence::profile {

/// Steps over nodes and edges that all ranges of a profile may take together. Past it, only the ends of a
/// range count.
inline constexpr std::size_t max_range_steps = 50'000'000;

/// The nodes on a path from `first` to `last`, both included, `last` first. `steps` is what is left of the
/// limit.
std::vector<onnx::NodeId> nodes_between(const onnx::Model& model, onnx::NodeId first, onnx::NodeId last,
                                        std::size_t& steps);

}  // namespace thence::profile
