// A model whose modules thence made functions of: a node that calls one is named after its module.
#pragma once

#include <string_view>

#include "modules/module_tree.h"
#include "onnx/model.h"

namespace thence::hierarchy {

using modules::ModuleTree;

/// The domain of such functions.
inline constexpr std::string_view folded_domain = "pkg.thence";

bool has_folded_calls(const onnx::Model& model);

/// The path that the name of such a node tells: "layer.0" of "layer.0:1", the second call of it. One that
/// begins with a dot is within the module that the function around stands for. Empty: it is no such node.
std::string_view folded_path(const onnx::Node& node);

/// Adds the modules that such nodes stand for.
void add_folded_modules(const onnx::Model& model, ModuleTree& tree);

}  // namespace thence::hierarchy
