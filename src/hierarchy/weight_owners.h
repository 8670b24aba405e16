// The modules of a reference model whose parameters the initializers of a file hold, by their content.
#pragma once

#include <unordered_set>
#include <vector>

#include "modules/module_tree.h"
#include "reference/held_parameters.h"

namespace thence::hierarchy {

using modules::ModuleId;
using modules::ModuleTree;

/// The owner of one parameter, by each path of the parameter; the first path first.
using OwnerPaths = std::vector<ModuleId>;

/// Whether its class is one of PyTorch's activation functions, or of a library's.
bool is_activation_class(std::string_view class_name);

/// Whether rows of the module's weight are looked up.
bool is_table(const ModuleTree& tree, ModuleId module);

/// The paths in the order of preference for a node that reads the parameter: a table that is tied to a linear
/// layer is looked up by the one, and multiplied by the other.
OwnerPaths paths_for(std::string_view op_type, OwnerPaths paths, const ModuleTree& tree);

class WeightOwners {
 public:
  WeightOwners() = default;
  WeightOwners(const onnx::Model& model, const std::vector<capture::CapturedParameter>& parameters,
               const ModuleTree& tree);

  /// Whether weights were compared, and some found.
  bool has_any() const { return held_.found > 0; }
  const reference::HeldParameters& held() const { return held_; }
  bool owns_parameters(ModuleId module) const { return with_parameters_.contains(module); }
  /// The only child that may be an activation function: without children or parameters, and not skipped in
  /// evaluation. Of several, the only one whose class is a known one.
  ModuleId activation_in(const ModuleTree& tree, ModuleId outer) const;
  /// Whether the module multiplies by a weight or looks up its rows, as linear layers, convolutions and
  /// tables do; norms have vectors.
  bool owns_matrix(ModuleId module) const { return with_matrices_.contains(module); }
  /// The owners of the parameters that an initializer holds, in the order in which they are joined.
  const std::vector<OwnerPaths>& of(std::size_t initializer) const {
    static const std::vector<OwnerPaths> none;
    return initializer < owners_.size() ? owners_[initializer] : none;
  }

 private:
  reference::HeldParameters held_;
  std::vector<std::vector<OwnerPaths>> owners_;  // by initializer
  std::unordered_set<ModuleId> with_parameters_, with_matrices_;
};

}  // namespace thence::hierarchy
