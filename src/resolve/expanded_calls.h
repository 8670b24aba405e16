// Answers for the nodes of functions. A function is in the file once, and its nodes have neither the names
// nor the weights of the modules that it stands for. A model with all functions expanded has both: a copy of
// each node for each call.
#pragma once

#include "modules/module_tree.h"
#include "onnx/model.h"
#include "resolve/attribution.h"

namespace thence::resolve {

/// The same model with its functions expanded, with the origins of its nodes (functions/origin.h).
struct ExpandedModel {
  const onnx::Model& model;
  const modules::ModuleTree& tree;
  const Resolution& resolution;
};

/// Gives the nodes of functions the answers for their copies. A node that belongs to one module in all calls
/// belongs to it; otherwise the modules of all calls are listed. `tree` and `resolution` are those of the
/// model with functions.
void apply_expanded_calls(const ExpandedModel& expanded, const onnx::Model& model,
                          const modules::ModuleTree& tree, Resolution& resolution);

}  // namespace thence::resolve
