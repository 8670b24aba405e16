#include "semantics/holdings.h"

#include <algorithm>

namespace thence::semantics {

using modules::ModuleId;
using modules::no_module;

std::vector<Holding> holdings(const Map& map) {
  const modules::ModuleTree& tree = map.tree();
  std::vector<Holding> held(tree.size());
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) {
    const ModuleId module = map.answer(id).module;
    if (module == no_module) continue;
    ++held[module].own_nodes;
    held[module].first_node = std::min(held[module].first_node, id);
  }
  const std::vector<ModuleId> owners = map.initializer_owners();
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] == no_module) continue;
    const onnx::TensorView tensor = map.model().tensor(map.model().initializers()[i]);
    held[owners[i]].parameters += tensor.elements().value_or(0);
    held[owners[i]].bytes += tensor.bytes().value_or(0);
  }
  for (Holding& one : held) one.nodes = one.own_nodes;
  for (auto id = static_cast<ModuleId>(tree.size() - 1); id != modules::root; --id) {
    Holding& outer = held[tree[id].parent];  // added before its children
    outer.nodes += held[id].nodes;
    outer.parameters += held[id].parameters;
    outer.bytes += held[id].bytes;
    outer.first_node = std::min(outer.first_node, held[id].first_node);
  }
  return held;
}

}  // namespace thence::semantics
