// Boxes: the parts of the picture that open and close. A module is a box; its repeated submodules are one
// stack, and if it contains too many items, they are divided into chunks by position.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/grouped.h"
#include "serve/outline.h"

namespace thence::serve {

/// "m12": module 12. "c12:0-100": items 0 to 99 of module 12.
struct Box {
  ModuleId module = modules::root;
  std::optional<Range> chunk = {};
};
std::string name_of(const Box& box);

/// What is drawn in an opened box.
struct Item {
  enum class Kind : std::uint8_t { module, node, stack, chunk };
  Kind kind = Kind::node;
  std::uint32_t number = 0;            // ModuleId, NodeId, or the number of the stack in its module
  std::vector<ModuleId> members = {};  // of a stack
  Range chunk = {};                    // of a chunk: items of the module
  std::vector<Range> ranges = {};      // positions of its nodes
};

class Boxes {
 public:
  Boxes(const semantics::Map& map, const Outline& outline);

  /// Reads the name of a box; empty if there is no such box.
  std::optional<Box> find(std::string_view name) const;
  /// The items of a box, in the order of their first nodes.
  std::vector<Item> items(const Box& box) const;
  /// The name of an item: "m12", "n61", "s12:0", "c12:0-100".
  static std::string name_of(const Item& item, ModuleId module);
  /// The boxes and stacks to open so that a position is visible, outermost first. A stack is followed by the
  /// member to show. `inside`: the innermost module to open.
  std::vector<std::string> boxes_around(std::uint32_t position, ModuleId inside) const;

 private:
  void hash_structures();
  void number_items(ModuleId module);
  Range all_items(ModuleId module) const { return {0, first_item_[module + 1] - first_item_[module]}; }
  std::optional<std::uint32_t> item_at(ModuleId module, std::uint32_t position) const;
  Item make_item(ModuleId module, std::uint32_t number) const;
  void sort_members(std::vector<ModuleId>& members) const;
  bool may_stack(ModuleId a, ModuleId b) const;

  const semantics::Map& map_;
  const Outline& outline_;
  std::vector<std::uint64_t> structure_;  // by module: a hash of the classes and names of everything inside
  // The units and the items of all modules, one module after the other.
  std::vector<std::uint32_t> first_unit_, first_item_;  // by module
  std::vector<std::uint32_t> item_of_unit_;             // counted within the module
  std::vector<std::uint32_t> stack_of_item_;            // the number of the stack in its module
  base::Grouped<Unit> units_of_item_;
};

}  // namespace thence::serve
