// parameter, by content: in a graph that another tool built after a reference model, a node belongs to the
// module whose parameter it reads. Tools fuse: a node may read parameters of several modules.
#include <algorithm>

#include "dataflow/operator_traits.h"
#include "evidence/norm_inputs.h"
#include "evidence/source.h"
#include "evidence/thresholds.h"

namespace thence::evidence {
namespace {

using hierarchy::OwnerPaths;
using modules::no_module;

void add_once(std::vector<ModuleId>& modules, ModuleId module) {
  if (module != no_module && modules.size() < max_parameter_modules &&
      std::find(modules.begin(), modules.end(), module) == modules.end())
    modules.push_back(module);
}

// The modules of a node, the primary one first.
class NodeOwners {
 public:
  NodeOwners(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy)
      : model_(model), hierarchy_(hierarchy), tree_(hierarchy.tree()) {}

  std::vector<ModuleId> of(const onnx::Node& node) const {
    std::vector<std::vector<ModuleId>> by_input;
    const auto inputs = node.inputs();
    // The weights of a norm come before a table that it adds.
    const std::size_t first = first_weight(node);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (std::vector<ModuleId> owners = owners_of(node, inputs[(first + i) % inputs.size()]);
          !owners.empty())
        by_input.push_back(std::move(owners));
    std::vector<ModuleId> all;
    for (const std::vector<ModuleId>& owners : by_input)
      for (const ModuleId owner : owners) add_once(all, owner);
    if (all.size() < 2 && !adds_table(node, all)) return all;
    return order(node, by_input.empty() ? all : by_input.front(), std::move(all));
  }

 private:
  std::vector<ModuleId> owners_of(const onnx::Node& node, onnx::ValueId input) const {
    std::vector<ModuleId> owners;
    const std::uint32_t initializer = hierarchy_.source_parameter(model_, input).initializer;
    if (initializer == onnx::none) return owners;
    for (const OwnerPaths& paths : hierarchy_.weight_owners().of(initializer))
      add_once(owners, path_in_scope(node.id(), hierarchy::paths_for(node.op_type(), paths, tree_)));
    return owners;
  }

  // Of the paths of a tied parameter, the one inside the module of the node's scope.
  ModuleId path_in_scope(NodeId node, const OwnerPaths& paths) const {
    const hierarchy::ScopeId scope = hierarchy_.scopes().scope_in_name(node);
    if (paths.size() > 1 && scope != hierarchy::no_scope && !hierarchy_.scopes()[scope].matches.empty())
      for (const ModuleId path : paths)
        if (tree_.is_within(path, hierarchy_.scopes()[scope].matches.front().module)) return path;
    return paths.front();
  }

  // A product of joined weights is several projections.
  static bool is_projection(const onnx::Node& node) {
    const std::string_view op = node.op_type();
    return op.find("MatMul") != std::string_view::npos || op.find("Gemm") != std::string_view::npos ||
           dataflow::has_trait(node, dataflow::Trait::elementwise) ||
           dataflow::is_view(dataflow::traits_of(op));
  }

  // A norm is that of its scale. A product with joined weights lists their modules. Any other node with
  // several weights is the module around them, and so is one that adds a table instead of looking up its
  // rows.
  std::vector<ModuleId> order(const onnx::Node& node, const std::vector<ModuleId>& first,
                              std::vector<ModuleId> all) const {
    if (all.empty()) return all;
    std::vector<ModuleId> ordered;
    const bool is_joined = first.size() == all.size() && is_projection(node);
    if (adds_table(node, all))
      add_once(ordered, tree_.nearest_runnable(tree_[all.front()].parent));
    else if (all.size() > 1 && !is_norm(node) && !is_joined)
      add_once(ordered, tree_.nearest_runnable(common_module(all)));
    for (const ModuleId each : all) add_once(ordered, each);
    return ordered;
  }

  bool adds_table(const onnx::Node& node, const std::vector<ModuleId>& all) const {
    return all.size() == 1 && node.op_type() == "Add" && hierarchy::is_table(tree_, all.front());
  }

  ModuleId common_module(const std::vector<ModuleId>& all) const {
    ModuleId common = all.front();
    for (const ModuleId each : all) common = tree_.nearest_common_module(common, each);
    return common;
  }

  const onnx::Model& model_;
  const hierarchy::Hierarchy& hierarchy_;
  const modules::ModuleTree& tree_;
};

}  // namespace

void collect_held_parameters(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  const NodeOwners owners(model, hierarchy);
  for (NodeId id = 0; id < model.node_count(); ++id) {
    bool is_secondary = false;
    for (const ModuleId module : owners.of(model.node(id))) {
      sink.push({.node = id,
                 .module = module,
                 .source = Source::parameter,
                 .strength = {.statement = Statement::parameter,
                              .is_by_content = true,
                              .is_secondary = is_secondary},
                 .why = hierarchy.tree()[module].path});
      is_secondary = true;
    }
  }
}

}  // namespace thence::evidence
