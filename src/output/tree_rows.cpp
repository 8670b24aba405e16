#include "output/tree_rows.h"

#include <algorithm>

namespace thence::output {

using modules::ModuleId;

namespace {

double amount(const Tally& tally, Measure measure) {
  switch (measure) {
    case Measure::nodes: return static_cast<double>(tally.nodes);
    case Measure::parameters: return static_cast<double>(tally.parameters);
    case Measure::bytes: return static_cast<double>(tally.bytes);
    case Measure::flops: return 2 * plain_value(tally.macs);
    case Measure::confidence:
      return tally.nodes == 0 ? -1 : 1 - tally.mean_confidence();  // the lowest confidence first
    case Measure::none: break;
  }
  return 0;
}

}  // namespace

Tree make_tree(const semantics::Map& map, const TreeOptions& options) {
  shapes::InferredShapes inferred = shapes::infer(map.model(), options.sizes);
  Tallies tallies = tally(map, inferred);
  Tree made{std::move(inferred), std::move(tallies), {}};
  const std::vector<Tally>& tallies_by_module = made.tallies.modules;
  std::vector<TreeRow> open{{modules::root, 0}};
  while (!open.empty()) {
    const TreeRow row = open.back();
    open.pop_back();
    made.rows.push_back(row);
    if (row.depth == options.depth) continue;
    std::vector<ModuleId> children = map.tree().ordered_children(row.module);
    if (options.execution_order)
      std::stable_sort(children.begin(), children.end(), [&](ModuleId a, ModuleId b) {
        return tallies_by_module[a].first_node < tallies_by_module[b].first_node;
      });
    if (options.sort != Measure::none)
      std::stable_sort(children.begin(), children.end(), [&](ModuleId a, ModuleId b) {
        return amount(tallies_by_module[a], options.sort) > amount(tallies_by_module[b], options.sort);
      });
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      open.push_back({*child, row.depth + 1});
  }
  return made;
}

double share(const Tally& part, const Tally& whole, Measure measure) {
  const double all = amount(whole, measure);
  return all > 0 ? amount(part, measure) / all : 0;
}

}  // namespace thence::output
