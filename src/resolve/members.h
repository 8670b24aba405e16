// Members of fused nodes: the modules that tags list for a node, what each does in it, and the one whose
// operation does the work.
#pragma once

#include "hierarchy/hierarchy.h"
#include "resolve/attribution.h"

namespace thence::resolve {

/// Gives nodes that were decided by their tag the members and parts that it lists.
void apply_tagged_members(const hierarchy::Hierarchy& hierarchy, Resolution& resolution);

/// Likewise the owner of the largest weight. To be called after the owners were found in the file.
void apply_tagged_weight_owners(const hierarchy::Hierarchy& hierarchy, Resolution& resolution);

/// Sets Attribution::computing where it is not the primary module.
void find_computing_modules(const onnx::Model& model, const modules::ModuleTree& tree,
                            Resolution& resolution);

}  // namespace thence::resolve
