// Finds the module that owns an initializer, by name: "encoder.layer.0.dense.weight" is a parameter of
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

/// The owner of each initializer, in the order of the model. Adds modules to an incomplete tree.
std::vector<ParameterOwner> parameter_owners(const onnx::Model& model, ModuleTree& tree);

/// Exporters keep one of several equal parameters and write the others as copies under their own paths.
/// Returns the owners of the copies.
std::unordered_map<onnx::ValueId, ParameterOwner> parameter_copies(const onnx::Model& model,
                                                                   ModuleTree& tree);

/// The parameter path in the name of an initializer; empty if it contains none.
std::string_view parameter_path(std::string_view initializer);

}  // namespace thence::hierarchy
