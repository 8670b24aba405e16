// Claims: which tensors of the descendant are said to be which of the ancestor, for numbers to confirm or
// refute.
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "evidence/verification.h"
#include "transfer/pairing.h"

namespace thence::transfer {

struct Claim {
  Root root = none;  // of the descendant
  onnx::NodeId node = none;
  /// The tensors that hold it, in the order of the file: it itself, then other forms of it. The first few of
  /// the main graph, where a runtime can show them; none when it lies inside a body or a fused node.
  std::vector<onnx::ValueId> ours, theirs;
};

/// One for each value that the descendant computes and that has a partner.
std::vector<Claim> claims_of(const Net& ancestor, const Net& descendant, const Pairing& pairing);

/// Says which claims hold.
using Verifier = std::function<Result<evidence::Verification>(
    const std::vector<Claim>& claims, const onnx::Model& ancestor, const onnx::Model& descendant)>;

}  // namespace thence::transfer
