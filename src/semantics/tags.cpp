#include "semantics/tags.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "semantics/thresholds.h"

namespace thence::semantics {
namespace {

using modules::ModuleId;

// Children in the order of registration, which only a capture has. A rebuilt tree has them in the order of
// the file's nodes; there they are ordered by name, because tags must not depend on the order of a file.
// Numbered children are ordered by number.
std::vector<ModuleId> ordered_children(const modules::ModuleTree& tree, ModuleId module) {
  std::vector<ModuleId> children = tree[module].children;
  const auto number = [&](ModuleId child) {
    const std::string_view name = tree[child].name();
    std::uint64_t value = 0;
    std::from_chars(name.data(), name.data() + name.size(), value);
    return value;
  };
  if (std::all_of(children.begin(), children.end(),
                  [&](ModuleId child) { return base::is_digits(tree[child].name()); }))
    std::stable_sort(children.begin(), children.end(),
                     [&](ModuleId a, ModuleId b) { return number(a) < number(b); });
  else if (!tree.is_complete())
    std::sort(children.begin(), children.end(),
              [&](ModuleId a, ModuleId b) { return tree[a].name() < tree[b].name(); });
  return children;
}

}  // namespace

Tags::Tags(const modules::ModuleTree& tree, const modules::ClassFilter& filter, TagFormat format)
    : tree_(tree), format_(format), places_(tree.size()) {
  if (!tree.has_classes()) return;
  std::map<std::pair<ModuleId, std::string_view>, std::vector<ModuleId>> same;
  std::vector<std::pair<ModuleId, ModuleId>> open{
      {modules::root, modules::no_module}};  // module, shown parent
  while (!open.empty()) {
    const auto [module, parent] = open.back();
    open.pop_back();
    ModuleId shown = parent;
    if (module == modules::root || filter.is_shown(tree[module].class_name)) {
      places_[module].shown_parent = parent;
      same[{parent, modules::short_class(tree[module].class_name)}].push_back(module);
      shown = module;
    }
    const auto children = ordered_children(tree, module);
    for (auto child = children.rbegin(); child != children.rend(); ++child) open.emplace_back(*child, shown);
  }
  for (const auto& [key, modules] : same)
    for (std::size_t i = 0; i < modules.size(); ++i) {
      places_[modules[i]].ordinal = static_cast<std::uint32_t>(i);
      places_[modules[i]].repeated = modules.size() > 1;
    }
}

std::string Tags::of(ModuleId shown) const {
  std::vector<ModuleId> chain;
  for (ModuleId at = shown; at != modules::no_module; at = places_[at].shown_parent) chain.push_back(at);
  // The class of a wrapper may be unknown.
  if (!chain.empty() && chain.back() == modules::root && tree_[modules::root].class_name.empty())
    chain.pop_back();
  std::string tag;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    tag += '/';
    tag += modules::short_class(tree_[*at].class_name);
    if (format_ == TagFormat::ordinal && places_[*at].repeated)
      tag += base::format(".{}", places_[*at].ordinal);
  }
  return tag.size() <= longest_tag ? tag : std::string();
}

}  // namespace thence::semantics
