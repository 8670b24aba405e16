// Scopes of tools that build graphs. They look like those of PyTorch's exporters, and need not be modules.
#pragma once

#include "onnx/model.h"

namespace thence::hierarchy {

/// Whether a tool that is none of PyTorch's exporters named the nodes. A pass that renames values or replaces
/// the producer is not enough: outputs of nodes have names of another form, which begin with a scope, too.
bool has_builder_scopes(const onnx::Model& model);

/// Whether the names or the metadata of nodes may be the scopes of such a tool.
bool may_be_built(const onnx::Model& model);

/// Whether initializers are named after the nodes that read them: "a.fc.MatMul.weight" of "/a/fc/MatMul".
bool names_parameters_after_nodes(const onnx::Model& model);

}  // namespace thence::hierarchy
