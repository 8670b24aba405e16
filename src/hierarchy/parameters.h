// Which module owns an initializer, by its name: "encoder.layer.0.dense.weight" is a parameter of
// `encoder.layer.0.dense`.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "modules/module_tree.h"
#include "onnx/model.h"

namespace thence::hierarchy {

using modules::ModuleId;
using modules::ModuleTree;
using modules::no_module;

struct ParameterOwner {
  ModuleId module = no_module;
  std::string_view parameter;  // its path, as the file writes it
};

/// For each initializer, in the model's order. Grows a tree that is not complete.
std::vector<ParameterOwner> parameter_owners(const onnx::Model& model, ModuleTree& tree);

/// Exporters keep one of several equal parameters and write the others as copies of it, under their own
/// paths.
std::unordered_map<onnx::ValueId, ParameterOwner> parameter_copies(const onnx::Model& model,
                                                                   ModuleTree& tree);

/// The path of the parameter that an initializer's name spells out; empty when it spells none.
std::string_view parameter_path(std::string_view initializer);

}  // namespace thence::hierarchy
