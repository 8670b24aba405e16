#include "serve/boxes.h"

#include <algorithm>
#include <charconv>
#include <iterator>

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

bool contains(const Item& item, std::uint32_t position) {
  return std::any_of(item.ranges.begin(), item.ranges.end(),
                     [&](Range range) { return range.first <= position && position < range.last; });
}

std::vector<Item> divide(std::vector<Item> items, std::uint32_t first_number) {
  if (items.size() <= max_items) return items;
  const std::size_t size = std::max(min_chunk_items, (items.size() + max_chunks - 1) / max_chunks);
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

// Submodules have larger numbers than the modules that contain them.
Boxes::Boxes(const semantics::Map& map, const Outline& outline)
    : map_(map), outline_(outline), structure_(map.tree().size()) {
  const modules::ModuleTree& tree = map.tree();
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
  if (chunk.last > all_items(box.module).size()) return std::nullopt;
  box.chunk = chunk;
  return box;
}

bool Boxes::may_stack(ModuleId a, ModuleId b) const {
  if (a == outline_.unknown() || b == outline_.unknown()) return false;
  const modules::ModuleTree& tree = map_.tree();
  return structure_[a] == structure_[b] && base::is_digits(tree[a].name()) &&
         base::is_digits(tree[b].name()) && tree[a].children.empty() == tree[b].children.empty();
}

// Numbers the stacks; a submodule that is in none keeps no_stack.
void Boxes::collect_stacks(const std::vector<Unit>& submodules, std::vector<std::uint32_t>& stack_of) const {
  std::uint32_t count = 0;
  for (std::size_t first = 0; first < submodules.size();) {
    std::size_t last = first + 1;
    while (last < submodules.size() && last - first < max_stack_members &&
           may_stack(submodules[first].number, submodules[last].number))
      ++last;
    if (last - first > 1) {
      std::fill(stack_of.begin() + static_cast<std::ptrdiff_t>(first),
                stack_of.begin() + static_cast<std::ptrdiff_t>(last), count);
      ++count;
    }
    first = last;
  }
}

std::vector<Item> Boxes::all_items(ModuleId module) const {
  const std::span<const Unit> units = outline_.units(module);
  std::vector<Unit> submodules;
  std::copy_if(units.begin(), units.end(), std::back_inserter(submodules),
               [](const Unit& unit) { return unit.is_module; });
  std::vector<std::uint32_t> stack_of(submodules.size(), no_stack);
  collect_stacks(submodules, stack_of);
  std::vector<Item> items;
  std::vector<std::size_t> stacks;  // positions in items
  std::size_t submodule = 0;
  for (const Unit& unit : units) {
    const std::uint32_t stack = unit.is_module ? stack_of[submodule++] : no_stack;
    if (stack == no_stack) {
      items.push_back(
          {.kind = unit.is_module ? Item::Kind::module : Item::Kind::node, .number = unit.number});
      items.back().ranges = {outline_.range(unit)};
      continue;
    }
    if (stack == stacks.size()) {
      stacks.push_back(items.size());
      items.push_back({.kind = Item::Kind::stack, .number = stack});
    }
    items[stacks[stack]].members.push_back(unit.number);
    add_range(items[stacks[stack]].ranges, outline_.range(unit));
  }
  for (const std::size_t stack : stacks) sort_members(items[stack].members);
  return items;
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
  std::vector<Item> items = all_items(box.module);
  if (!box.chunk) return divide(std::move(items), 0);
  std::vector<Item> part(std::make_move_iterator(items.begin() + box.chunk->first),
                         std::make_move_iterator(items.begin() + box.chunk->last));
  return divide(std::move(part), box.chunk->first);
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
    for (std::optional<Box> box = Box{modules[i]}; box;) {
      boxes.push_back(serve::name_of(*box));
      const std::vector<Item> all = items(*box);
      const auto found =
          std::find_if(all.begin(), all.end(), [&](const Item& item) { return contains(item, position); });
      box.reset();
      if (found == all.end()) break;
      if (found->kind == Item::Kind::chunk) box = Box{modules[i], found->chunk};
      if (found->kind == Item::Kind::stack) boxes.push_back(name_of(*found, modules[i]));
    }
  }
  return boxes;
}

}  // namespace thence::serve
