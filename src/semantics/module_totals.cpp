#include "semantics/module_totals.h"

#include <algorithm>

namespace thence::semantics {

using modules::ModuleId;
using modules::no_module;

std::vector<ModuleTotals> module_totals(const Map& map) {
  const modules::ModuleTree& tree = map.tree();
  std::vector<ModuleTotals> totals(tree.size());
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) {
    const ModuleId module = map.answer(id).module;
    if (module == no_module) continue;
    ++totals[module].own_nodes;
    totals[module].first_node = std::min(totals[module].first_node, id);
  }
  const std::vector<ModuleId> owners = map.initializer_owners();
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] == no_module) continue;
    const onnx::TensorView tensor = map.model().tensor(map.model().initializers()[i]);
    totals[owners[i]].parameters += tensor.elements().value_or(0);
    totals[owners[i]].bytes += tensor.bytes().value_or(0);
  }
  for (ModuleTotals& one : totals) one.nodes = one.own_nodes;
  for (auto id = static_cast<ModuleId>(tree.size() - 1); id != modules::root; --id) {
    ModuleTotals& outer = totals[tree[id].parent];  // added before its children
    outer.nodes += totals[id].nodes;
    outer.parameters += totals[id].parameters;
    outer.bytes += totals[id].bytes;
    outer.first_node = std::min(outer.first_node, totals[id].first_node);
  }
  return totals;
}

}  // namespace thence::semantics
