// The parts of a norm that was fused with the additions before it.
#pragma once

#include "hierarchy/hierarchy.h"
#include "resolve/attribution.h"

namespace thence::resolve {

/// Lists for each fused norm the module that adds the residual, and the one whose bias it adds.
void add_residual_members(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                          Resolution& resolution);

}  // namespace thence::resolve
