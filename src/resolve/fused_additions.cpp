#include "resolve/fused_additions.h"

#include <algorithm>
#include <array>

#include "dataflow/operator_traits.h"
#include "evidence/part.h"
#include "resolve/propagate.h"

namespace thence::resolve {
namespace {

using evidence::Part;

bool adds_residual(const onnx::Node& node) {
  return node.op_type().starts_with("Skip") && node.op_type().ends_with("Normalization");
}

bool may_add_bias(const onnx::Node& node) {
  return dataflow::is_activation(node.op_type()) && node.inputs().size() > 1;
}

class FusedMembers {
 public:
  FusedMembers(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                  const Resolution& resolution)
      : model_(model), hierarchy_(hierarchy), tree_(hierarchy.tree()), resolution_(resolution) {}

  /// The module of the node, the one around what is added, and the owners of further weights.
  std::vector<ModuleId> of(const onnx::Node& node) const {
    const Attribution& known = resolution_.nodes[node.id()];
    const auto inputs = node.inputs();
    std::vector<ModuleId> members = {known.module};
    if (known.module_set != 0) members = resolution_.module_sets[known.module_set];
    if (adds_residual(node)) add(members, module_of_sum(inputs, known.module));
    for (std::size_t i = adds_residual(node) ? summands : 1; i < inputs.size(); ++i)
      add(members, hierarchy_.source_parameter(model_, inputs[i]).owner.module);
    return members;
  }

 private:
  static constexpr std::size_t summands = 2;  // the first inputs

  static void add(std::vector<ModuleId>& members, ModuleId module) {
    if (module != no_module && std::find(members.begin(), members.end(), module) == members.end())
      members.push_back(module);
  }

  // What is added comes from inside the module that adds it: the innermost one that two of these modules have
  // in common, of the norm and of those that compute the summands.
  template <class Inputs>
  ModuleId module_of_sum(const Inputs& inputs, ModuleId norm) const {
    std::array<ModuleId, summands + 1> modules = {norm, no_module, no_module};
    for (std::size_t i = 0; i < std::min(summands, inputs.size()); ++i) modules[i + 1] = module_of(inputs[i]);
    ModuleId found = no_module;
    for (std::size_t i = 0; i < modules.size(); ++i)
      for (std::size_t j = i + 1; j < modules.size(); ++j) {
        if (modules[i] == no_module || modules[j] == no_module || modules[i] == modules[j]) continue;
        const ModuleId common = tree_.nearest_runnable(tree_.nearest_common_module(modules[i], modules[j]));
        if (found == no_module || tree_[common].path.size() > tree_[found].path.size()) found = common;
      }
    return found == norm ? no_module : found;
  }

  ModuleId module_of(onnx::ValueId value) const {
    if (value == onnx::none) return no_module;
    const onnx::Producer producer = model_.producer(value);
    if (producer.kind != onnx::Producer::Kind::node) return no_module;
    return resolution_.nodes[producer.index].module;
  }

  const onnx::Model& model_;
  const hierarchy::Hierarchy& hierarchy_;
  const modules::ModuleTree& tree_;
  const Resolution& resolution_;
};

}  // namespace

void add_fused_additions(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                          Resolution& resolution) {
  const FusedMembers fused(model, hierarchy, resolution);
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const onnx::Node node = model.node(id);
    const Attribution& known = resolution.nodes[id];
    const bool has_members = known.module_set != 0 && known.rule != DecisionRule::weight_held;
    if ((!adds_residual(node) && !may_add_bias(node)) || !known.known() || has_members) continue;
    std::vector<ModuleId> members = fused.of(node);
    if (members.size() < 2) continue;
    std::vector<Part> parts(members.size(), Part::arithmetic);
    parts.front() = evidence::part_of_operator(node.domain(), node.op_type());
    resolution.parts.insert_or_assign(id, std::move(parts));
    set_modules(resolution, id, std::move(members));
  }
}

}  // namespace thence::resolve
