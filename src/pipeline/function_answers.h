// Answers for the nodes of functions. A function is in the file once, and its nodes have neither the names
// nor the weights of the modules that it stands for. In the model with all functions expanded, each call has
// nodes of its own, which have both.
#pragma once

#include "modules/module_tree.h"
#include "resolve/attribution.h"
#include "semantics/map.h"

namespace thence::pipeline {

/// Gives the nodes of functions the answers of the expanded model. A node that belongs to one module in all
/// calls belongs to it; otherwise the modules of all calls are listed. `tree` and `resolution` are those of
/// the model with functions.
void apply_expanded_answers(const semantics::Map& expanded, const onnx::Model& model,
                            const modules::ModuleTree& tree, resolve::Resolution& resolution);

}  // namespace thence::pipeline
