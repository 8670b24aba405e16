// Outline: the nodes in the order of the nested modules, so that the nodes of a module and of everything
// inside it have consecutive positions. A set of nodes is then a few ranges of positions, whatever boxes are
// open.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "semantics/map.h"

namespace thence::serve {

using modules::ModuleId;

/// What a module contains directly: a submodule or a node.
struct Unit {
  bool is_module = false;
  std::uint32_t number = 0;  // ModuleId or NodeId
};

struct Range {
  std::uint32_t first = 0, last = 0;  // last is not included
  std::uint32_t size() const { return last - first; }
};

class Outline {
 public:
  explicit Outline(const semantics::Map& map);

  /// The number that stands for a module with all nodes of unknown origin, which is inside the root.
  ModuleId unknown() const { return unknown_; }
  ModuleId module_count() const { return unknown_ + 1; }
  ModuleId parent(ModuleId module) const {
    return module == unknown_ ? modules::root : map_.tree()[module].parent;
  }
  ModuleId module_of(onnx::NodeId node) const {
    return map_.answer(node).known() ? map_.answer(node).module : unknown_;
  }

  /// In the order of their first nodes. Submodules without nodes are left out.
  std::span<const Unit> units(ModuleId module) const {
    return std::span(units_).subspan(first_unit_[module], first_unit_[module + 1] - first_unit_[module]);
  }
  Range range(ModuleId module) const { return ranges_[module]; }
  std::uint32_t position(onnx::NodeId node) const { return positions_[node]; }
  onnx::NodeId node_at(std::uint32_t position) const { return nodes_[position]; }
  Range range(const Unit& unit) const {
    return unit.is_module ? ranges_[unit.number]
                          : Range{positions_[unit.number], positions_[unit.number] + 1};
  }

 private:
  void list_units();
  void number_nodes();

  const semantics::Map& map_;
  ModuleId unknown_;
  std::vector<std::uint32_t> first_unit_;  // by module, into units_
  std::vector<Unit> units_;
  std::vector<Range> ranges_;             // by module
  std::vector<std::uint32_t> positions_;  // by node
  std::vector<onnx::NodeId> nodes_;       // by position
};

}  // namespace thence::serve
