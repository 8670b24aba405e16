// The parts of a norm or an activation function that was fused with the additions before it.
#pragma once

#include "hierarchy/hierarchy.h"
#include "resolve/attribution.h"

namespace thence::resolve {

/// Lists for each fused norm the module that adds the residual, and for both the one whose bias they add.
void add_fused_additions(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                          Resolution& resolution);

}  // namespace thence::resolve
