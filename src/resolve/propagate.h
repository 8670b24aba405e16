// What follows from data flow: modules of nodes without direct evidence, nodes that belong to several
// modules, and bodies of functions.
#pragma once

#include "hierarchy/hierarchy.h"
#include "resolve/attribution.h"
#include "resolve/flow_index.h"

namespace thence::resolve {

/// Attributes nodes without evidence to their consumers. Never across layers: if neighbours lie in different
/// layers, the answer is their common ancestor, or unknown.
void propagate(const onnx::Model& model, const modules::ModuleTree& tree, const FlowIndex& flow_index,
               Resolution& resolution);

/// Finds nodes that an exporter merged: they have the name of one layer, and other layers read them in the
/// same place.
void find_shared_nodes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                       const FlowIndex& flow_index, Resolution& resolution);

/// Gives unknown nodes the module of the other nodes that one operation of torch.export became.
void attribute_operations(const onnx::Model& model, Resolution& resolution);

/// Gives the nodes of functions the modules that call them.
void attribute_functions(const onnx::Model& model, Resolution& resolution);

/// The owner of the largest parameter that each node reads.
void find_weight_owners(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                        const FlowIndex& flow_index, Resolution& resolution);

/// Sets the modules that a node belongs to; the first is the primary one.
void set_modules(Resolution& resolution, onnx::NodeId node, std::vector<ModuleId> modules);

}  // namespace thence::resolve
