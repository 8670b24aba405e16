// settle_calls: which call of its module made each node.
#pragma once

#include "modules/module_tree.h"
#include "onnx/model.h"
#include "resolve/attribution.h"
#include "resolve/flow_index.h"

namespace thence::resolve {

/// Decides the calls of all nodes, after their modules. Evidence gives the call or not. A module that was
/// recorded to run once has only call 0. The nodes of a loop stand for many calls, so neither they nor the
/// other nodes of their module have a number. What remains is the call of the nodes of the same module on
/// both sides, if that is known and the same.
void settle_calls(const onnx::Model& model, const modules::ModuleTree& tree, const FlowIndex& flow_index,
                  Resolution& resolution);

}  // namespace thence::resolve
