// Instances of compiled code.
//
// TorchScript compiles a class once, for all of its instances. Only in the code of the first instance do the
// modules inside have scopes; in that of the others, and in further calls, each node has the scope of the
// instance itself. The code is the same, so the nodes are those of the first instance, in the same order.
#pragma once

#include <unordered_map>
#include <vector>

#include "hierarchy/parameters.h"
#include "hierarchy/scope_index.h"

namespace thence::hierarchy {

/// By node, for nodes of instances without scopes for the modules inside: the module that ran the node, by
/// comparison with an instance that has them; no_module if there is none. Adds modules to an incomplete tree.
std::unordered_map<onnx::NodeId, ModuleId> match_compiled_instances(
    const onnx::Model& model, ModuleTree& tree, const Scopes& scopes, const std::vector<ScopeId>& name_scopes,
    const std::vector<ParameterOwner>& parameters);

}  // namespace thence::hierarchy
