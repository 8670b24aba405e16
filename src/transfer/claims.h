// Claims: the matched tensors of two models, for a verifier that runs both.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "evidence/verification.h"
#include "transfer/value_matching.h"

namespace thence::transfer {

struct Claim {
  CanonicalValue value = none;  // of the descendant
  onnx::NodeId node = none;
  /// The tensors that hold the value: itself, then views of it, in the order of the file; of the ancestor
  /// also those of congruent values. Only the first few of the main graph, which a runtime can output; empty
  /// for a value inside a body or a fused node.
  std::vector<onnx::ValueId> ours, theirs;
};

/// One claim for each matched value that the descendant computes.
std::vector<Claim> claims_of(const ValueGraph& ancestor, const ValueGraph& descendant,
                             const ValueMatching& matching);

/// Decides which claims hold.
using Verifier = std::function<Result<evidence::Verification>(
    const std::vector<Claim>& claims, const onnx::Model& ancestor, const onnx::Model& descendant)>;

}  // namespace thence::transfer
