// remove_calls_that_split_scopes: no call numbers where recordings and names disagree about them.
#pragma once

#include "hierarchy/hierarchy.h"
#include "onnx/model.h"
#include "resolve/attribution.h"

namespace thence::resolve {

/// All nodes of a scope are of one call, and a module that runs as often as the one around it runs in the
/// same calls. If a recording contradicts this, it took calls that look alike for each other, and the numbers
/// of the module's calls are unknown.
void remove_calls_that_split_scopes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                                    Resolution& resolution);

}  // namespace thence::resolve
