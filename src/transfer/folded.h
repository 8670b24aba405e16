// What was left out after an operation because its result, or its weights, hold it already.
#pragma once

#include "transfer/net.h"

namespace thence::transfer {

/// Quantisers leave out an activation whose work the quantisation does: then what `step` makes is not `root`
/// of the ancestor but what the activation makes of it.
Root past_activation(const Net& ancestor, const Net& descendant, const Step& step, Root root);

/// Weights that were changed may hold what came after them: a scale, a norm, a bias.
Root past_folded(const Net& ancestor, const Net& descendant, const Step& step, Root root);

/// Nodes whose last part was fused with a scale after it: by node, the scale. All of its parts are scaled
/// then.
std::unordered_map<onnx::NodeId, onnx::NodeId> folded_scales(const Net& ancestor,
                                                             const std::vector<std::vector<StepId>>& regions);

}  // namespace thence::transfer
