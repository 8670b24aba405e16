// Decides scopes that match several modules: by the other scopes of the same text, and by the scopes that
// they are connected to.
#include <algorithm>
#include <set>

#include "base/format.h"
#include "hierarchy/scope_resolver.h"
#include "hierarchy/scope_thresholds.h"

namespace thence::hierarchy {

using modules::are_in_different_layers;
using modules::root;

// The exporter numbers scopes whose text already exists. If a text has as many modules as scopes and no
// number is missing, each scope is a different module.
void ScopeResolver::find_siblings() {
  std::unordered_map<std::string, std::shared_ptr<std::vector<ScopeId>>> by_text;
  for (ScopeId id = 0; id < scopes_.size(); ++id) {
    const Scope& scope = scopes_[id];
    if (scope.is_inner || scope.matches.empty()) continue;
    const std::string_view base = component_without_number(scope);
    const std::size_t numbers = base.empty() ? 0 : scope.component.size() - base.size();
    auto& group = by_text[std::string(scope.text.substr(0, scope.text.size() - numbers))];
    if (group == nullptr) group = std::make_shared<std::vector<ScopeId>>();
    group->push_back(id);
  }
  for (const auto& [text, group] : by_text) {
    if (group->size() < 2 || !charge_work(group->size() * group->size())) continue;
    if (is_numbered_without_gaps(text, *group) && has_one_module_per_scope(*group))
      for (const ScopeId id : *group) siblings_.emplace(id, group);
  }
}

// Whether the numbers of the scopes have no gaps.
bool ScopeResolver::is_numbered_without_gaps(const std::string& text,
                                             const std::vector<ScopeId>& group) const {
  for (std::size_t number = 0; number < group.size(); ++number) {
    const ScopeId found = scopes_.find(number == 0 ? text : base::format("{}_{}", text, number));
    if (std::find(group.begin(), group.end(), found) == group.end()) return false;
  }
  return true;
}

// Whether the scopes match as many modules as there are scopes, and their assignment is undecided.
bool ScopeResolver::has_one_module_per_scope(const std::vector<ScopeId>& group) const {
  std::set<ModuleId> modules;
  bool any_ambiguous = false;
  for (const ScopeId id : group) {
    any_ambiguous |= scopes_[id].matches.size() > 1;
    for (const ScopeMatch& match : scopes_[id].matches) modules.insert(match.module);
  }
  return any_ambiguous && modules.size() == group.size();
}

// Gives the last undecided scope of a group the only module that no other scope has. Returns whether `id` was
// decided.
bool ScopeResolver::decide_by_exclusion(ScopeId id) {
  const auto group = siblings_.find(id);
  if (group == siblings_.end() || !charge_work(group->second->size())) return false;
  std::set<ModuleId> used_modules;
  for (const ScopeId other : *group->second) {
    if (other == id) continue;
    if (scopes_[other].matches.size() != 1 ||
        !used_modules.insert(scopes_[other].matches.front().module).second)
      return false;
  }
  std::vector<ScopeMatch> left = scopes_[id].matches;
  std::erase_if(left, [&](const ScopeMatch& match) { return used_modules.contains(match.module); });
  if (left.size() != 1) return false;
  scopes_[id].matches = std::move(left);
  return true;
}

bool ScopeResolver::is_ambiguous(ScopeId scope) const {
  return scope != no_scope && scopes_[scope].matches.size() > 1;
}

// Records an edge between two nodes of different scopes.
void ScopeResolver::connect(onnx::NodeId writer, onnx::NodeId reader,
                            std::vector<Connections>& connections) const {
  const ScopeId to = node_scopes_[reader], from = node_scopes_[writer];
  if (to == from) return;
  if (to == no_scope || from == no_scope) {
    if (is_ambiguous(to) && !model_.node(writer).inputs().empty()) connections[to].has_unnamed = true;
    if (is_ambiguous(from)) connections[from].has_unnamed = true;
    return;
  }
  if (is_ambiguous(to)) connections[to].scopes.push_back(from);
  if (is_ambiguous(from)) connections[from].scopes.push_back(to);
}

std::vector<ScopeResolver::Connections> ScopeResolver::connections_of_ambiguous_scopes() const {
  std::vector<Connections> connections(scopes_.size());
  for (onnx::NodeId id = 0; id < model_.node_count(); ++id)
    for (const onnx::ValueId input : model_.node(id).inputs()) {
      if (input == onnx::none) continue;
      const onnx::Producer producer = model_.producer(input);
      if (producer.kind == onnx::Producer::Kind::node) connect(producer.index, id, connections);
    }
  for (Connections& each : connections) {
    std::sort(each.scopes.begin(), each.scopes.end());
    each.scopes.erase(std::unique(each.scopes.begin(), each.scopes.end()), each.scopes.end());
  }
  return connections;
}

// All nodes of a scope belong to one call of one module. A scope with several candidates is decided if only
// one candidate is connected to it: through its inner scopes, else its outer scopes, else its layer. A
// decision may enable others, so this repeats until nothing changes, at most `most_connection_rounds` times.
void ScopeResolver::decide_ambiguous_scopes() {
  if (std::none_of(scopes_.begin(), scopes_.end(),
                   [](const Scope& scope) { return scope.matches.size() > 1; }))
    return;
  std::vector<Connections> connections = connections_of_ambiguous_scopes();
  find_siblings();
  bool changed = true;
  for (int round = 0; changed && round < most_connection_rounds; ++round) {
    changed = false;
    for (ScopeId id = 0; id < scopes_.size(); ++id) {
      if (connections[id].scopes.empty() || !is_ambiguous(id) || !connections[id].needs_update) continue;
      connections[id].needs_update = false;
      changed |= decide_by_connections(id, connections);
    }
  }
}

// Returns whether the scope was decided. Marks the scopes that this decision may help to decide.
bool ScopeResolver::decide_by_connections(ScopeId id, std::vector<Connections>& connections) {
  const ModuleId picked = decide_by_exclusion(id) ? scopes_[id].matches.front().module
                                                  : pick_by_neighbours(scopes_[id], connections[id].scopes,
                                                                       connections[id].has_unnamed);
  if (picked == no_module) return false;
  if (const auto group = siblings_.find(id); group != siblings_.end())
    for (const ScopeId other : *group->second) connections[other].needs_update = true;
  scopes_[id].matches = {{picked, {}, ScopeMatchKind::by_connections}};
  for (const ScopeId other : connections[id].scopes) connections[other].needs_update = true;
  return true;
}

ModuleId ScopeResolver::pick_by_neighbours(const Scope& scope, const std::vector<ScopeId>& neighbours,
                                           bool has_unnamed_neighbour) {
  std::set<ModuleId> inside, siblings, layer;
  for (const ScopeId other : neighbours) {
    if (scopes_[other].matches.size() != 1) continue;
    if (!charge_work(scope.matches.size())) return no_module;
    const ModuleId neighbour = scopes_[other].matches.front().module;
    const std::string_view neighbour_path = tree_[neighbour].path;
    const bool separates_layers =
        std::any_of(scope.matches.begin(), scope.matches.end(), [&](const ScopeMatch& candidate) {
          return are_in_different_layers(tree_[candidate.module].path, neighbour_path);
        });
    for (const ScopeMatch& match : scope.matches) {
      if (tree_.is_within(neighbour, match.module)) inside.insert(match.module);
      if (match.module != root && tree_.is_within(neighbour, tree_[match.module].parent))
        siblings.insert(match.module);
      if (separates_layers && !are_in_different_layers(tree_[match.module].path, neighbour_path))
        layer.insert(match.module);
    }
  }
  if (has_unnamed_neighbour)
    layer.clear();  // the visible neighbour may be in the next layer, and the hidden one in this layer
  const std::set<ModuleId>& closest = !inside.empty() ? inside : !siblings.empty() ? siblings : layer;
  return closest.size() == 1 ? *closest.begin() : no_module;
}

}  // namespace thence::hierarchy
