// Operations that a rewrite removed because the operation before them does their work.
#pragma once

#include <unordered_map>
#include <vector>

#include "dataflow/value_graph.h"

namespace thence::transfer {

using dataflow::CanonicalValue;
using dataflow::Operation;
using dataflow::OperationId;
using dataflow::ValueGraph;

/// Quantisers remove an activation if clamping to the quantised range does the same. Then `ours` computes the
/// result of the activation that reads `theirs`.
CanonicalValue value_after_activation(const ValueGraph& ancestor, const ValueGraph& descendant,
                                      const Operation& ours, CanonicalValue theirs);

/// Scales, norms and biases are folded into the weights of the operation before them.
CanonicalValue value_after_folded(const ValueGraph& ancestor, const ValueGraph& descendant,
                                  const Operation& ours, CanonicalValue theirs);

/// Nodes of the ancestor whose result was fused with a scale after it, and the node of that scale.
std::unordered_map<onnx::NodeId, onnx::NodeId> folded_scales(
    const ValueGraph& ancestor, const std::vector<std::vector<OperationId>>& regions);

}  // namespace thence::transfer
