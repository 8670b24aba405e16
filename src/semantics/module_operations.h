// ModuleOperations: what the nodes of a module without submodules compute, whatever it is called.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "modules/module_tree.h"
#include "onnx/model.h"
#include "resolve/attribution.h"

namespace thence::semantics {

struct ModuleOperation {
  enum class Kind : std::uint8_t {
    unknown,      // no node belongs to it, or it has submodules
    linear,       // multiplies its input by one weight of rank 2, and adds a bias
    convolution,  // the same with a convolution
    other,
  } kind = Kind::unknown;
  bool is_split_in_three = false;  // three times as many outputs as inputs, which are read in three parts
  bool reads_product = false;      // linear: its input is a product of two computed values, or attention
  bool contains_linear = false, contains_convolution = false;  // direct submodules
};

class ModuleOperations {
 public:
  /// Takes time in proportion to the nodes and their inputs.
  ModuleOperations(const onnx::Model& model, const modules::ModuleTree& tree,
                   const resolve::Resolution& resolution);
  ModuleOperation of(modules::ModuleId module) const {
    return module < operations_.size() ? operations_[module] : ModuleOperation();
  }

 private:
  void read_node(onnx::NodeId id, modules::ModuleId module, modules::CallNumber call);
  ModuleOperation::Kind read_product(const onnx::Node& node, modules::ModuleId module,
                                     modules::CallNumber call);
  void find_splits();

  const onnx::Model& model_;
  std::vector<ModuleOperation> operations_;                          // by module
  std::unordered_map<std::uint64_t, onnx::ValueId> weights_;         // of linear modules, by module and call
  std::vector<std::pair<modules::ModuleId, onnx::NodeId>> tripled_;  // three times as wide as their inputs
};

}  // namespace thence::semantics
