// A second export may contain casts to the type that a value already has: PyTorch runs `x.to(x.dtype)` for
// nothing, and some exporters write it. The ancestor has no such node, and the module that converts its input
// ran it.
#pragma once

#include "evidence/ancestor.h"
#include "transfer/origins.h"

namespace thence::pipeline {

/// Gives inserted casts that convert nothing to the module of their consumers, if they have only one.
void settle_unneeded_casts(const onnx::Model& derived, const std::vector<transfer::Origin>& origins,
                           evidence::AncestorAnswers& answers);

}  // namespace thence::pipeline
