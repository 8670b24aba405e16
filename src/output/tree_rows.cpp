#include "output/tree_rows.h"

#include <algorithm>

namespace thence::output {

using hierarchy::ModuleId;

std::vector<TreeRow> tree_rows(const semantics::Map& map, const TreeOptions& options) {
  const hierarchy::ModuleTree& tree = map.tree();
  const std::vector<semantics::Holding> held = semantics::holdings(map);
  std::vector<TreeRow> ordered;
  std::vector<std::pair<ModuleId, std::size_t>> open{{hierarchy::root, 0}};
  while (!open.empty()) {
    const auto [module, depth] = open.back();
    open.pop_back();
    ordered.push_back({held[module], module, depth});
    if (depth == options.depth) continue;
    std::vector<ModuleId> children = tree[module].children;
    if (options.execution_order)
      std::stable_sort(children.begin(), children.end(),
                       [&](ModuleId a, ModuleId b) { return held[a].first_node < held[b].first_node; });
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      open.emplace_back(*child, depth + 1);
  }
  return ordered;
}

}  // namespace thence::output
