#include "hierarchy/folded_call.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "hierarchy/scope_thresholds.h"

namespace thence::hierarchy {

using modules::ModuleId;
using modules::no_module;

bool has_folded_calls(const onnx::Model& model) {
  return std::any_of(model.opsets().begin(), model.opsets().end(),
                     [](const onnx::Opset& opset) { return opset.domain == folded_domain; });
}

std::string_view folded_path(const onnx::Node& node) {
  if (node.domain() != folded_domain) return {};
  const std::string_view name = node.name();
  const std::size_t colon = name.rfind(':');
  const bool numbered = colon != std::string_view::npos && base::is_digits(name.substr(colon + 1));
  return numbered ? name.substr(0, colon) : name;
}

// Outer functions come first in the file, so the module of a function is mostly known when its body is read.
void add_folded_modules(const onnx::Model& model, ModuleTree& tree) {
  if (!has_folded_calls(model)) return;
  std::unordered_map<std::string_view, std::vector<ModuleId>> modules_of_function;
  for (const onnx::Graph& graph : model.graphs()) {
    std::vector<ModuleId> enclosing;
    if (graph.kind == onnx::Graph::Kind::function && graph.domain == folded_domain)
      enclosing = modules_of_function[graph.name];
    for (onnx::NodeId id = graph.first_node; id < graph.first_node + graph.node_count; ++id) {
      const onnx::Node node = model.node(id);
      const std::string_view path = folded_path(node);
      if (path.empty()) continue;
      std::vector<ModuleId>& modules = modules_of_function[node.op_type()];
      const auto add = [&](ModuleId module) {
        if (module != no_module && modules.size() < max_modules_per_function) modules.push_back(module);
      };
      if (!path.starts_with('.'))
        add(tree.add(path));
      else
        for (const ModuleId module : enclosing) add(tree.add(std::string(tree[module].path).append(path)));
    }
  }
}

}  // namespace thence::hierarchy
