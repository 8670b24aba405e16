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

// Tags must not depend on the order of a file. Numbered children are ordered by number, also in a capture.
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
  else
    children = tree.ordered_children(module);
  return children;
}

}  // namespace

Tags::Tags(const modules::ModuleTree& tree, const modules::ClassFilter& filter, TagFormat format)
    : tree_(tree), format_(format), positions_(tree.size()) {
  if (!tree.has_classes()) return;
  std::map<std::pair<ModuleId, std::string_view>, std::vector<ModuleId>> by_class;
  std::vector<std::pair<ModuleId, ModuleId>> pending{
      {modules::root, modules::no_module}};  // module, shown parent
  while (!pending.empty()) {
    const auto [module, parent] = pending.back();
    pending.pop_back();
    ModuleId shown = parent;
    if (module == modules::root || filter.is_shown(tree[module].class_name)) {
      positions_[module].shown_parent = parent;
      by_class[{parent, modules::short_class(tree[module].class_name)}].push_back(module);
      shown = module;
    }
    const auto children = ordered_children(tree, module);
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      pending.emplace_back(*child, shown);
  }
  for (const auto& [key, modules] : by_class)
    for (std::size_t i = 0; i < modules.size(); ++i) {
      positions_[modules[i]].ordinal = static_cast<std::uint32_t>(i);
      positions_[modules[i]].is_repeated = modules.size() > 1;
    }
}

std::string Tags::of(ModuleId shown) const {
  std::vector<ModuleId> chain;
  for (ModuleId at = shown; at != modules::no_module; at = positions_[at].shown_parent) chain.push_back(at);
  // The class of a wrapper may be unknown.
  if (!chain.empty() && chain.back() == modules::root && tree_[modules::root].class_name.empty())
    chain.pop_back();
  std::string tag;
  for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
    tag += '/';
    tag += modules::short_class(tree_[*at].class_name);
    if (format_ == TagFormat::ordinal && positions_[*at].is_repeated)
      tag += base::format(".{}", positions_[*at].ordinal);
  }
  return tag.size() <= max_tag_bytes ? tag : std::string();
}

}  // namespace thence::semantics
