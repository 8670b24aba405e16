// What follows from the wiring: nodes without evidence of their own that lie between certain ones, nodes that
// serve several modules, and the bodies of functions.
#pragma once

#include "hierarchy/hierarchy.h"
#include "resolve/attribution.h"
#include "resolve/wiring.h"

namespace thence::resolve {

/// Gives nodes without evidence the owner of what they serve. Never across layers: where neighbours lie in
/// different layers, the answer is what both have in common, or unknown.
void propagate(const onnx::Model& model, const modules::ModuleTree& tree, const Wiring& wiring,
               Resolution& resolution);

/// Finds nodes that an exporter merged: one layer's name on work that the same place in other layers uses as
/// well.
void find_shared(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const Wiring& wiring,
                 Resolution& resolution);

/// Gives the nodes of functions the modules that call them.
void attribute_functions(const onnx::Model& model, const modules::ModuleTree& tree, Resolution& resolution);

/// The owner of the largest parameter that each node reads.
void find_weight_owners(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const Wiring& wiring,
                        Resolution& resolution);

/// Notes the set of modules a node serves; the first is the primary.
void set_modules(Resolution& resolution, onnx::NodeId node, std::vector<ModuleId> modules);

}  // namespace thence::resolve
