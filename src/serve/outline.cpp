#include "serve/outline.h"

#include <algorithm>
#include <utility>

namespace thence::serve {

Outline::Outline(const semantics::Map& map)
    : map_(map),
      unknown_(static_cast<ModuleId>(map.tree().size())),
      first_unit_(unknown_ + 2),
      ranges_(unknown_ + 1),
      positions_(map.model().node_count()),
      nodes_(map.model().node_count()) {
  list_units();
  number_nodes();
}

// Units are appended to their modules in the order of their first nodes: a module is appended to its parent
// when its first node is met, after the parents of that module.
void Outline::list_units() {
  std::vector<bool> is_listed(module_count());
  is_listed[modules::root] = true;
  std::vector<std::pair<ModuleId, Unit>> listed;  // with the module that contains the unit
  std::vector<ModuleId> missing;
  for (onnx::NodeId node = 0; node < map_.model().node_count(); ++node) {
    for (ModuleId at = module_of(node); !is_listed[at]; at = parent(at)) {
      is_listed[at] = true;
      missing.push_back(at);
    }
    for (; !missing.empty(); missing.pop_back())
      listed.push_back({parent(missing.back()), {true, missing.back()}});
    listed.push_back({module_of(node), {false, node}});
  }
  for (const auto& [module, unit] : listed) ++first_unit_[module + 1];
  for (std::size_t i = 1; i < first_unit_.size(); ++i) first_unit_[i] += first_unit_[i - 1];
  units_.resize(listed.size());
  std::vector<std::uint32_t> next = first_unit_;
  for (const auto& [module, unit] : listed) units_[next[module]++] = unit;
}

void Outline::number_nodes() {
  struct Open {
    ModuleId module;
    std::uint32_t next = 0;  // unit
  };
  std::uint32_t position = 0;
  std::vector<Open> open{{modules::root}};
  while (!open.empty()) {
    const ModuleId module = open.back().module;
    const std::span<const Unit> inside = units(module);
    if (open.back().next == inside.size()) {
      ranges_[module].last = position;
      open.pop_back();
      continue;
    }
    const Unit unit = inside[open.back().next++];
    if (unit.is_module) {
      ranges_[unit.number].first = position;
      open.push_back({unit.number});
    } else {
      nodes_[position] = unit.number;
      positions_[unit.number] = position++;
    }
  }
}

}  // namespace thence::serve
