#include "output/tree_rows.h"

#include <algorithm>

namespace thence::output {

using hierarchy::ModuleId;
using hierarchy::no_module;

std::vector<TreeRow> tree_rows(const semantics::Map& map, const TreeOptions& options) {
  const hierarchy::ModuleTree& tree = map.tree();
  std::vector<TreeRow> all(tree.size());
  for (ModuleId module = 0; module < tree.size(); ++module) all[module].module = module;
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) {
    ModuleId module = map.answer(id).module;
    if (module == no_module) continue;
    ++all[module].own_nodes;
    for (; module != no_module; module = tree[module].parent) {
      ++all[module].nodes;
      all[module].first_node = std::min(all[module].first_node, id);
    }
  }
  const std::vector<ModuleId> owners = map.initializer_owners();
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] == no_module) continue;
    const onnx::TensorView tensor = map.model().tensor(map.model().initializers()[i]);
    for (ModuleId module = owners[i]; module != no_module; module = tree[module].parent) {
      all[module].parameters += tensor.elements().value_or(0);
      all[module].bytes += tensor.bytes().value_or(0);
    }
  }
  std::vector<TreeRow> ordered;
  std::vector<std::pair<ModuleId, std::size_t>> open{{hierarchy::root, 0}};
  while (!open.empty()) {
    const auto [module, depth] = open.back();
    open.pop_back();
    all[module].depth = depth;
    ordered.push_back(all[module]);
    if (depth == options.depth) continue;
    std::vector<ModuleId> children = tree[module].children;
    if (options.execution_order)
      std::stable_sort(children.begin(), children.end(),
                       [&](ModuleId a, ModuleId b) { return all[a].first_node < all[b].first_node; });
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      open.emplace_back(*child, depth + 1);
  }
  return ordered;
}

}  // namespace thence::output
