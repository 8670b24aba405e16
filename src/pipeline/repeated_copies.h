// An exporter may compute once what several modules of the live model compute, such as a mask; a second
// export by another exporter computes it for each. All of these copies match the one node of the ancestor,
// which is attributed to the first of the modules.
#pragma once

#include "evidence/ancestor.h"
#include "transfer/origins.h"

namespace thence::pipeline {

/// Gives the later copies to modules that are placed relative to their consumers as the module of the first
/// copy is to its own. For second exports only: an optimiser that repeats a node changes no module.
void settle_repeated_copies(const onnx::Model& derived, const std::vector<transfer::Origin>& origins,
                            evidence::AncestorAnswers& answers);

}  // namespace thence::pipeline
