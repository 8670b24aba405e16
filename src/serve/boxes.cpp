#include "serve/boxes.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "base/text.h"
#include "base/text_hash.h"
#include "serve/limits.h"

namespace thence::serve {
namespace {

constexpr std::uint32_t no_stack = 0xffffffff;

bool take_number(std::string_view& text, std::uint32_t& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return true;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

void add_range(std::vector<Range>& ranges, Range more) {
  if (!ranges.empty() && ranges.back().last == more.first)
    ranges.back().last = more.last;
  else
    ranges.push_back(more);
}

// The number of items in each chunk of a box; 0 if the box is not divided.
std::uint32_t chunk_size(std::size_t items) {
  if (items <= max_items) return 0;
  return static_cast<std::uint32_t>(std::max(min_chunk_items, (items + max_chunks - 1) / max_chunks));
}

std::vector<Item> divide(std::vector<Item> items, std::uint32_t first_number) {
  const std::size_t size = chunk_size(items.size());
  if (size == 0) return items;
  std::vector<Item> chunks;
  for (std::size_t first = 0; first < items.size(); first += size) {
    const std::size_t last = std::min(first + size, items.size());
    Item chunk{.kind = Item::Kind::chunk};
    chunk.chunk = {first_number + static_cast<std::uint32_t>(first),
                   first_number + static_cast<std::uint32_t>(last)};
    for (std::size_t i = first; i < last; ++i)
      for (const Range range : items[i].ranges) add_range(chunk.ranges, range);
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

}  // namespace

std::string name_of(const Box& box) {
  return box.chunk ? base::format("c{}:{}-{}", box.module, box.chunk->first, box.chunk->last)
                   : base::format("m{}", box.module);
}

Boxes::Boxes(const semantics::Map& map, const Outline& outline)
    : map_(map), outline_(outline), structure_(map.tree().size()) {
  hash_structures();
  for (ModuleId module = 0; module < outline.module_count(); ++module) number_items(module);
  first_unit_.push_back(static_cast<std::uint32_t>(item_of_unit_.size()));
  first_item_.push_back(static_cast<std::uint32_t>(stack_of_item_.size()));
  units_of_item_ = {stack_of_item_.size(), [&](auto use) {
                      for (ModuleId module = 0; module < outline.module_count(); ++module) {
                        std::uint32_t at = first_unit_[module];
                        for (const Unit& unit : outline.units(module))
                          use(first_item_[module] + item_of_unit_[at++], unit);
                      }
                    }};
}

// Submodules have larger numbers than the modules that contain them.
void Boxes::hash_structures() {
  const modules::ModuleTree& tree = map_.tree();
  for (auto id = static_cast<ModuleId>(tree.size()); id-- > 0;) {
    const std::uint64_t inside = base::text_hash(tree[id].class_name, structure_[id]);
    structure_[id] = inside;
    if (id != modules::root) structure_[tree[id].parent] += base::text_hash(tree[id].name(), inside);
  }
}

std::optional<Box> Boxes::find(std::string_view name) const {
  Box box;
  const bool is_chunk = name.starts_with('c');
  if (!take(name, is_chunk ? 'c' : 'm') || !take_number(name, box.module)) return std::nullopt;
  if (box.module >= outline_.module_count()) return std::nullopt;
  if (!is_chunk) return name.empty() ? std::optional(box) : std::nullopt;
  Range chunk;
  if (!take(name, ':') || !take_number(name, chunk.first) || !take(name, '-') ||
      !take_number(name, chunk.last) || !name.empty() || chunk.first >= chunk.last)
    return std::nullopt;
  if (chunk.last > all_items(box.module).last) return std::nullopt;
  box.chunk = chunk;
  return box;
}

bool Boxes::may_stack(ModuleId a, ModuleId b) const {
  if (a == outline_.unknown() || b == outline_.unknown()) return false;
  const modules::ModuleTree& tree = map_.tree();
  return structure_[a] == structure_[b] && base::is_digits(tree[a].name()) &&
         base::is_digits(tree[b].name()) && tree[a].children.empty() == tree[b].children.empty();
}

// Similar submodules are one item, a stack, whatever nodes are between them.
void Boxes::number_items(ModuleId module) {
  first_unit_.push_back(static_cast<std::uint32_t>(item_of_unit_.size()));
  first_item_.push_back(static_cast<std::uint32_t>(stack_of_item_.size()));
  const std::uint32_t first = first_item_.back();
  std::uint32_t stacks = 0, item = 0;
  std::size_t members = 0;  // of the last item that is a submodule or a stack
  ModuleId first_member = modules::no_module;
  for (const Unit& unit : outline_.units(module)) {
    if (unit.is_module && members > 0 && members < max_stack_members &&
        may_stack(first_member, unit.number)) {
      if (members++ == 1) stack_of_item_[first + item] = stacks++;
      item_of_unit_.push_back(item);
      continue;
    }
    const auto number = static_cast<std::uint32_t>(stack_of_item_.size()) - first;
    if (unit.is_module) {
      item = number;
      members = 1;
      first_member = unit.number;
    }
    stack_of_item_.push_back(no_stack);
    item_of_unit_.push_back(number);
  }
}

// The ranges of the units of a module are consecutive.
std::optional<std::uint32_t> Boxes::item_at(ModuleId module, std::uint32_t position) const {
  const std::span<const Unit> units = outline_.units(module);
  const auto found =
      std::upper_bound(units.begin(), units.end(), position,
                       [this](std::uint32_t at, const Unit& unit) { return at < outline_.range(unit).last; });
  if (found == units.end() || position < outline_.range(*found).first) return std::nullopt;
  return item_of_unit_[first_unit_[module] + static_cast<std::size_t>(found - units.begin())];
}

Item Boxes::make_item(ModuleId module, std::uint32_t number) const {
  const std::span<const Unit> units = units_of_item_.of(first_item_[module] + number);
  const std::uint32_t stack = stack_of_item_[first_item_[module] + number];
  Item item{.kind = units.front().is_module ? Item::Kind::module : Item::Kind::node,
            .number = units.front().number};
  for (const Unit& unit : units) add_range(item.ranges, outline_.range(unit));
  if (stack == no_stack) return item;
  item.kind = Item::Kind::stack;
  item.number = stack;
  for (const Unit& unit : units) item.members.push_back(unit.number);
  sort_members(item.members);
  return item;
}

// By their numbers: the order of the file may be another one, such as that of an optimiser.
void Boxes::sort_members(std::vector<ModuleId>& members) const {
  std::stable_sort(members.begin(), members.end(), [this](ModuleId a, ModuleId b) {
    const std::string_view one = map_.tree()[a].name();
    const std::string_view other = map_.tree()[b].name();
    return one.size() != other.size() ? one.size() < other.size() : one < other;
  });
}

std::vector<Item> Boxes::items(const Box& box) const {
  const Range part = box.chunk.value_or(all_items(box.module));
  std::vector<Item> items;
  items.reserve(part.size());
  for (std::uint32_t number = part.first; number < part.last; ++number)
    items.push_back(make_item(box.module, number));
  return divide(std::move(items), part.first);
}

std::string Boxes::name_of(const Item& item, ModuleId module) {
  switch (item.kind) {
    case Item::Kind::module: return base::format("m{}", item.number);
    case Item::Kind::node: return base::format("n{}", item.number);
    case Item::Kind::stack: return base::format("s{}:{}", module, item.number);
    case Item::Kind::chunk: return serve::name_of(Box{module, item.chunk});
  }
  return {};
}

std::vector<std::string> Boxes::boxes_around(std::uint32_t position, ModuleId inside) const {
  std::vector<ModuleId> modules;
  for (ModuleId at = inside;; at = outline_.parent(at)) {
    modules.push_back(at);
    if (at == modules::root) break;
  }
  std::vector<std::string> boxes;
  for (std::size_t i = modules.size(); i-- > 0;) {
    boxes.push_back(serve::name_of(Box{modules[i]}));
    const std::optional<std::uint32_t> item = item_at(modules[i], position);
    if (!item) continue;
    Range part = all_items(modules[i]);
    while (const std::uint32_t size = chunk_size(part.size())) {
      part.first += (*item - part.first) / size * size;
      part.last = std::min(part.first + size, part.last);
      boxes.push_back(serve::name_of(Box{modules[i], part}));
    }
    if (const std::uint32_t stack = stack_of_item_[first_item_[modules[i]] + *item]; stack != no_stack)
      boxes.push_back(base::format("s{}:{}", modules[i], stack));
  }
  return boxes;
}

}  // namespace thence::serve
