// Models in which `thence fold` turned modules into functions. A node that calls such a function is named
// after its module.
#pragma once

#include <string_view>

#include "modules/module_tree.h"
#include "onnx/model.h"

namespace thence::hierarchy {

using modules::ModuleTree;

/// The domain of these functions.
inline constexpr std::string_view folded_domain = "pkg.thence";

bool has_folded_calls(const onnx::Model& model);

/// The module path in the name of a folded call: "layer.0" for "layer.0:1", its second call. A path that
/// begins with a dot is relative to the module of the enclosing function. Empty if the node is not a folded
/// call.
std::string_view folded_path(const onnx::Node& node);

/// Adds the modules of folded calls to the tree.
void add_folded_modules(const onnx::Model& model, ModuleTree& tree);

}  // namespace thence::hierarchy
