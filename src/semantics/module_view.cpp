#include "semantics/module_view.h"

#include <algorithm>

namespace thence::semantics {

using modules::ModuleId;
using modules::no_module;

Role ModuleView::role(const modules::ModuleTree& own_tree, const ModuleOperations& operations,
                      ModuleId module, RoleReader& reader) const {
  const auto own_role = [&](ModuleId own) { return reader.of(own_tree, own, operations.of(own)); };
  Role role;
  if (const auto joined = view.joined.find(module); joined == view.joined.end()) {
    role = own_role(view.originals[module]);
  } else {  // keep only what all parts have in common
    role = own_role(joined->second.parts.front());
    for (const ModuleId part : joined->second.parts) {
      const Role other = own_role(part);
      if (other.type != role.type) role.type = {};
      if (other.component != role.component) role.component = {}, role.component_parts = {};
      if (other.operation != role.operation) role.operation = {};
      if (other.classification != role.classification) role.classification = {};
    }
  }
  if (const auto given = view.roles.find(module); given != view.roles.end()) {
    const rules::RoleOverride& words = given->second;
    // The classifications of the lexicon refine its types, not the types that rules give.
    if (!words.type.empty() && words.type != role.type) role.classification = {};
    if (!words.type.empty()) role.type = words.type;
    if (!words.component.empty()) role.component = words.component, role.component_parts = {};
    if (!words.classification.empty()) role.classification = words.classification;
  }
  return role;
}

namespace {

// The call of a module that is reported for the modules inside it. A joined module itself is never called.
modules::CallNumber call_if_only_one(const modules::ModuleTree& own_tree, const rules::View& view,
                                     ModuleId reported) {
  if (view.joined.contains(reported)) return std::nullopt;
  const ModuleId original = view.originals[reported];
  const std::optional<std::uint32_t> calls = own_tree[original].calls;
  return calls.value_or(original == modules::root ? 1 : 0) == 1 ? modules::CallNumber(0) : std::nullopt;
}

}  // namespace

resolve::Resolution translate(const modules::ModuleTree& own_tree, const resolve::Resolution& resolution,
                              const rules::View& view) {
  resolve::Resolution translated = resolution;
  const auto rename = [&](ModuleId& module) {
    if (module != no_module) module = view.reported_as[module];
  };
  for (resolve::Attribution& node : translated.nodes) {
    // The number of a call belongs to the module that was called.
    if (node.known() && view.originals[view.reported_as[node.module]] != node.module)
      node.set_call(call_if_only_one(own_tree, view, view.reported_as[node.module]));
    rename(node.module);
    rename(node.weight_owner);
    rename(node.computing);
  }
  for (std::vector<ModuleId>& set : translated.module_sets) {
    std::vector<ModuleId> fewer;
    for (ModuleId module : set) {
      rename(module);
      if (std::find(fewer.begin(), fewer.end(), module) == fewer.end()) fewer.push_back(module);
    }
    set = std::move(fewer);
  }
  return translated;
}

}  // namespace thence::semantics
