// parameter: a node that reads `encoder.layer.0.dense.bias` most likely belongs to `encoder.layer.0.dense`.
// This is weaker than a name, because the use of a parameter may be folded into a node of the module around
// it.
#include <algorithm>
#include <array>
#include <unordered_map>

#include "evidence/norm_inputs.h"
#include "evidence/source.h"
#include "evidence/thresholds.h"
#include "hierarchy/exporter_stack.h"

namespace thence::evidence {
namespace {

// The paths by which the owner of a parameter was called; the owner itself if no capture records them.
std::vector<ModuleId> find_called_paths(const modules::ModuleTree& tree, ModuleId owner) {
  const modules::Module& first = tree[tree.at_first_path(owner)];
  std::vector<ModuleId> called;
  const auto add = [&](ModuleId module) {
    if (tree[module].calls.value_or(0) > 0 && called.size() < max_parameter_modules) called.push_back(module);
  };
  if (!first.aliases.empty()) add(tree.at_first_path(owner));
  for (const std::string_view alias : first.aliases)
    if (const ModuleId module = tree.find(alias); module != tree.at_first_path(owner)) add(module);
  if (called.empty()) called.push_back(owner);
  return called;
}

// The operations that layers of PyTorch are, as dynamo's metadata names them. Others that read a weight may
// be part of a module that borrows it: `x @ self.table.weight.T`.
constexpr std::string_view target_prefix = "target=torch.ops.aten.";
constexpr std::array<std::string_view, 10> layer_operations = {
    "linear",     "conv",       "embedding",     "layer_norm", "native_layer_norm",
    "group_norm", "batch_norm", "instance_norm", "rms_norm",   "prelu"};

bool is_other_operation(const onnx::Node& node) {
  const std::string_view operation = hierarchy::exporter_operation(node);
  const std::size_t at = operation.find(target_prefix);
  if (at == std::string_view::npos) return false;
  const std::string_view target = operation.substr(at + target_prefix.size());
  return std::none_of(layer_operations.begin(), layer_operations.end(),
                      [&](std::string_view layer) { return target.starts_with(layer); });
}

}  // namespace

void collect_parameters(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  if (hierarchy.weight_owners().has_any()) return collect_held_parameters(model, hierarchy, sink);
  if (hierarchy.parameters().empty()) return;
  std::unordered_map<ModuleId, std::vector<ModuleId>> called_paths;  // by owner
  for (NodeId id = 0; id < model.node_count(); ++id) {
    const onnx::Node node = model.node(id);
    const auto inputs = node.inputs();
    const std::size_t first = first_weight(node);
    ModuleId last = modules::no_module;
    std::size_t listed = 0;
    const bool is_in_body =
        model.graphs()[node.graph()].kind == onnx::Graph::Kind::body && is_other_operation(node);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const onnx::ValueId input = inputs[(first + i) % inputs.size()];
      const hierarchy::ParameterOwner owner = hierarchy.source_parameter(model, input).owner;
      if (owner.module == modules::no_module || owner.module == last) continue;
      if (listed++ == max_parameter_modules) break;
      last = owner.module;
      std::vector<ModuleId>& paths = called_paths[owner.module];
      if (paths.empty()) paths = find_called_paths(hierarchy.tree(), owner.module);
      for (const ModuleId module : paths)
        sink.push({.node = id,
                   .module = module,
                   .source = Source::parameter,
                   .strength = {.statement = Statement::parameter,
                                .is_in_body = is_in_body,
                                .is_secondary = is_norm(node) && listed > 1},
                   .why = owner.parameter});
    }
  }
}

}  // namespace thence::evidence
