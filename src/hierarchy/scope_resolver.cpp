#include "hierarchy/scope_resolver.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "hierarchy/scope_thresholds.h"

namespace thence::hierarchy {
namespace {

using modules::cross_layer;
using modules::root;

// The component without the number of a repeated call: "fc" for "fc_2".
std::string_view unnumbered(const Scope& scope) {
  base::NumberedName name;
  return !scope.is_inner && base::take_number_suffix(scope.component, name) ? name.base : std::string_view();
}

void add_once(std::vector<ModuleId>& modules, ModuleId module) {
  if (modules.size() <= most_rivals && std::find(modules.begin(), modules.end(), module) == modules.end())
    modules.push_back(module);
}

}  // namespace

ScopeResolver::ScopeResolver(const onnx::Model& model, ModuleTree& tree, ScopeStyle style, Scopes& scopes,
                             const std::vector<ScopeId>& of_name)
    : model_(model), tree_(tree), style_(style), scopes_(scopes), of_name_(of_name) {}

void ScopeResolver::run(const std::vector<ParameterOwner>& parameters) {
  known_ = static_cast<ModuleId>(tree_.size());
  collect_owners(parameters);
  if (tree_.complete())
    for (ModuleId module = 0; module < tree_.size(); ++module)
      by_component_[scope_component(tree_[module].path)].push_back(module);
  const std::vector<ScopeId> order = outermost_first();
  pass_owners_outwards(order);
  work_left_ = least_work + work_per_scope * scopes_.size();
  rivals_left_ = least_rivals_kept + rivals_kept_per_scope * scopes_.size();
  for (const ScopeId id : order) {
    Scope& scope = scopes_[now_ = id];
    if (scope.parameter_owners.size() <= most_rivals) resolve(scope);
    // Too many candidates to compare: the scope and its inner scopes stay unknown.
    if (scope.matches.size() > std::min(most_rivals, rivals_left_)) scope.matches = {};
    if (scope.matches.size() > 1) rivals_left_ -= scope.matches.size();
  }
  decide_by_wiring();
  number_calls(order);
}

// Outer scopes come first, because they are read and numbered before their inner scopes. Scopes with a number
// and without inner scopes come last, in order of their numbers: they may be further calls of unnumbered
// scopes.
std::vector<ScopeId> ScopeResolver::outermost_first() const {
  std::vector<ScopeId> order;
  std::vector<std::tuple<unsigned, std::string_view, ScopeId>> numbered;
  order.reserve(scopes_.size());
  for (ScopeId id = 0; id < scopes_.size(); ++id) {
    base::NumberedName name{};
    if (!scopes_[id].is_inner && base::take_number_suffix(scopes_[id].component, name))
      numbered.emplace_back(name.number, scopes_[id].text, id);
    else
      order.push_back(id);
  }
  std::sort(numbered.begin(), numbered.end());
  for (const auto& key : numbered) order.push_back(std::get<2>(key));
  return order;
}

// A scope that reads `a.b.fc.weight` and whose last component is "fc" (or "fc_2", its third call) is most
// likely a call of `a.b.fc`, wherever the rest of the chain leads.
void ScopeResolver::collect_owners(const std::vector<ParameterOwner>& parameters) {
  for (onnx::NodeId id = 0; id < model_.node_count(); ++id) {
    if (of_name_[id] == no_scope) continue;
    Scope& scope = scopes_[of_name_[id]];
    for (const onnx::ValueId input : model_.node(id).inputs()) {
      if (input == onnx::none) continue;
      const onnx::Producer producer = model_.producer(input);
      if (producer.kind != onnx::Producer::Kind::initializer) continue;
      const ModuleId owner = parameters[producer.index].module;
      if (owner == no_module) continue;
      const std::string_view component = scope_component(tree_[owner].path);
      if (component == scope.component || component == unnumbered(scope))
        add_once(scope.parameter_owners, owner);
    }
  }
}

// The location of an inner scope also determines the location of its outer scope.
void ScopeResolver::pass_owners_outwards(const std::vector<ScopeId>& order) {
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Scope& scope = scopes_[*at];
    if (scope.outer == no_scope || scopes_[scope.outer].text.empty()) continue;
    Scope& outer = scopes_[scope.outer];
    for (const ModuleId owner : scope.parameter_owners) {
      const std::string_view path = tree_[owner].path;
      const std::string_view component = scope_component(path);
      std::string_view around =
          path.size() > component.size() ? path.substr(0, path.size() - component.size() - 1) : "";
      if (component.starts_with(outer.component) && scope_component(around) != outer.component)
        around = path.substr(0, path.rfind('.') == std::string_view::npos ? 0 : path.rfind('.'));
      if (around.empty() || scope_component(around) != outer.component) continue;
      if (const ModuleId module = tree_.find(around); module != no_module)
        add_once(outer.parameter_owners, module);
    }
  }
}

std::string_view ScopeResolver::join(std::string_view outer, std::string_view component) {
  path_.assign(outer);
  if (!outer.empty()) path_ += '.';
  return path_ += component;
}

// A called container `blocks` has the scope component "blocks", and its child has "blocks.0". The path of the
// child is the path of the container plus the number, not plus "blocks.0".
std::string_view ScopeResolver::repeated_container(std::string_view outer, std::string_view component) {
  const std::string_view own = scope_component(outer);
  if (own.empty() || !component.starts_with(own) || component.size() <= own.size() + 1 ||
      component[own.size()] != '.')
    return {};
  const std::string_view numbers = component.substr(own.size());
  for (const std::string_view atom : base::split(numbers.substr(1), '.'))
    if (!base::is_digits(atom)) return {};
  path_.assign(outer);
  return path_ += numbers;
}

bool ScopeResolver::add_match(Scope& scope, ModuleId module, Fit fit) {
  if (module == no_module) return false;
  if (module >= matched_.size()) matched_.resize(tree_.size(), no_scope);
  if (matched_[module] != now_) scope.matches.push_back({module, 0, fit});
  matched_[module] = now_;
  return true;
}

bool ScopeResolver::spend(std::size_t work) {
  const bool enough = work <= work_left_;
  work_left_ -= enough ? work : work_left_;
  return enough;
}

void ScopeResolver::resolve(Scope& scope) {
  if (scope.outer == no_scope) {
    if (scope.text.empty()) scope.matches.push_back({root, 0, Fit::known});
    return;
  }
  const std::vector<ScopeMatch>& outers = scopes_[scope.outer].matches;
  if (outers.empty()) return;
  const ModuleId outer = outers.front().module;
  if (style_ == ScopeStyle::bare) {
    add_match(scope, tree_.add(join(tree_[outer].path, scope.component)), Fit::bare);
    return;
  }
  if (outers.size() > 1) return resolve_among(scope, outers);
  if (resolve_component(scope, outer, scope.component)) return;
  if (const std::string_view base = unnumbered(scope); !base.empty()) {
    if (resolve_component(scope, outer, base)) return;
    // Call k of a module has a name only if call k-1 has one. Without a scope for call k-1, the number is
    // part of the module's name.
    const std::string first =
        std::string(scope.text.substr(0, scope.text.size() - scope.component.size())) + std::string(base);
    if (const ScopeId found = scopes_.find(first); found != no_scope && !tree_.complete())
      for (const ScopeMatch& match : scopes_[found].matches) add_match(scope, match.module, Fit::counted);
    if (!scope.matches.empty()) return;
  }
  if (!tree_.complete()) spell_out(scope, outer);
}

// The outer scope may be any of several modules, because layers whose `forward` is called directly leave no
// scope. The parameters that this scope reads may decide. Otherwise the candidates stay ambiguous until
// connections are used.
void ScopeResolver::resolve_among(Scope& scope, const std::vector<ScopeMatch>& outers) {
  for (const ModuleId owner : scope.parameter_owners) add_match(scope, owner, Fit::skipped);
  if (!scope.matches.empty()) return;
  const std::string_view base = unnumbered(scope);
  if (!spend(4 * outers.size())) return;
  for (const ScopeMatch& outer : outers) {
    const std::string_view around = tree_[outer.module].path;
    if (add_match(scope, tree_.find(join(around, scope.component)), Fit::skipped)) continue;
    const std::string_view component = base.empty() ? scope.component : base;
    add_match(scope,
              tree_.complete() ? tree_.find(join(around, component)) : tree_.add(join(around, component)),
              Fit::skipped);
  }
}

// A module named only by scopes gains no support from a repeated name. And a presumed second call may be
// another module, with a number in its name or with the same name elsewhere.
Fit ScopeResolver::fit_of(const Scope& scope, ModuleId module, std::string_view component) const {
  if (module < known_) return Fit::known;
  return component == scope.component ? Fit::spelled : Fit::counted;
}

// Finds the modules that a component may name below `outer`: a direct child, a repeated container, the owner
// of the parameters that the scope reads and, in a complete tree, any module with that name.
bool ScopeResolver::resolve_component(Scope& scope, ModuleId outer, std::string_view component) {
  const std::string_view around = tree_[outer].path;
  if (const ModuleId below = tree_.find(join(around, component)); below != no_module)
    return add_match(scope, below, fit_of(scope, below, component));
  if (const std::string_view repeated = repeated_container(around, component); !repeated.empty())
    if (add_match(scope, tree_.find(repeated), Fit::container)) return true;
  match_parameter_owners(scope, outer, component);
  if (scope.matches.empty() && tree_.complete()) match_by_name(scope, outer, component);
  return !scope.matches.empty();
}

// Matches owners of the parameters that the scope's nodes read, if the owner has the scope's name.
void ScopeResolver::match_parameter_owners(Scope& scope, ModuleId outer, std::string_view component) {
  for (const ModuleId owner : scope.parameter_owners) {
    if (scope_component(tree_[owner].path) != component) continue;
    // Two modules may share a tensor. If the owner has its own scope elsewhere, this scope may equally be
    // another module that shares the tensor, so the name alone counts.
    if (!tree_.complete() && !tree_.within(owner, outer) && scope_of_its_own(owner)) continue;
    add_match(scope, owner, tree_.within(owner, outer) ? Fit::skipped : Fit::foreign);
  }
}

// Matches modules with the given name: those below `outer` or, if there are none, those elsewhere.
void ScopeResolver::match_by_name(Scope& scope, ModuleId outer, std::string_view component) {
  const auto named = by_component_.find(component);
  if (named == by_component_.end() || named->second.size() > most_rivals || !spend(named->second.size()))
    return;
  for (const ModuleId module : named->second)
    if (tree_.within(module, outer)) add_match(scope, module, Fit::skipped);
  if (!scope.matches.empty()) return;
  for (const ModuleId module : named->second) add_match(scope, module, Fit::foreign);
}

void ScopeResolver::spell_out(Scope& scope, ModuleId outer) {
  const std::string_view around = tree_[outer].path;
  const std::string_view repeated = repeated_container(around, scope.component);
  if (!repeated.empty())
    add_match(scope, tree_.add(repeated), Fit::container);
  else
    add_match(scope, tree_.add(join(around, scope.component)), Fit::spelled);
}

// Whether the file has the scope that a call of this module through its parents would produce.
bool ScopeResolver::scope_of_its_own(ModuleId module) const {
  std::string text;
  for (std::string_view path = tree_[module].path; !path.empty();) {
    const std::string_view component = scope_component(path);
    text.insert(0, "/" + std::string(component));
    path = component.size() >= path.size() ? std::string_view()
                                           : path.substr(0, path.size() - component.size() - 1);
  }
  return scopes_.find(text) != no_scope;
}

// The exporter numbers scopes whose text already exists. If a text has as many modules as scopes and no
// number is missing, each scope is a different module.
void ScopeResolver::find_siblings() {
  std::unordered_map<std::string, std::shared_ptr<std::vector<ScopeId>>> by_text;
  for (ScopeId id = 0; id < scopes_.size(); ++id) {
    const Scope& scope = scopes_[id];
    if (scope.is_inner || scope.matches.empty()) continue;
    const std::string_view base = unnumbered(scope);
    const std::size_t numbers = base.empty() ? 0 : scope.component.size() - base.size();
    auto& group = by_text[std::string(scope.text.substr(0, scope.text.size() - numbers))];
    if (group == nullptr) group = std::make_shared<std::vector<ScopeId>>();
    group->push_back(id);
  }
  for (const auto& [text, group] : by_text) {
    if (group->size() < 2 || !spend(group->size() * group->size())) continue;
    if (is_numbered_throughout(text, *group) && has_as_many_modules(*group))
      for (const ScopeId id : *group) siblings_.emplace(id, group);
  }
}

// Whether the numbers of the scopes have no gaps.
bool ScopeResolver::is_numbered_throughout(const std::string& text, const std::vector<ScopeId>& group) const {
  for (std::size_t number = 0; number < group.size(); ++number) {
    const ScopeId found = scopes_.find(number == 0 ? text : base::format("{}_{}", text, number));
    if (std::find(group.begin(), group.end(), found) == group.end()) return false;
  }
  return true;
}

// Whether the scopes match as many modules as there are scopes, and their assignment is undecided.
bool ScopeResolver::has_as_many_modules(const std::vector<ScopeId>& group) const {
  std::set<ModuleId> modules;
  bool any_open = false;
  for (const ScopeId id : group) {
    any_open |= scopes_[id].matches.size() > 1;
    for (const ScopeMatch& match : scopes_[id].matches) modules.insert(match.module);
  }
  return any_open && modules.size() == group.size();
}

// Gives the last undecided scope of a group the only module that no other scope has. Returns whether `id` was
// decided.
bool ScopeResolver::leave_to_siblings(ScopeId id) {
  const auto group = siblings_.find(id);
  if (group == siblings_.end() || !spend(group->second->size())) return false;
  std::set<ModuleId> taken;
  for (const ScopeId other : *group->second) {
    if (other == id) continue;
    if (scopes_[other].matches.size() != 1 || !taken.insert(scopes_[other].matches.front().module).second)
      return false;
  }
  std::vector<ScopeMatch> left = scopes_[id].matches;
  std::erase_if(left, [&](const ScopeMatch& match) { return taken.contains(match.module); });
  if (left.size() != 1) return false;
  scopes_[id].matches = std::move(left);
  return true;
}

bool ScopeResolver::is_open(ScopeId scope) const {
  return scope != no_scope && scopes_[scope].matches.size() > 1;
}

// Records an edge between two nodes of different scopes.
void ScopeResolver::connect(onnx::NodeId writer, onnx::NodeId reader,
                            std::vector<Connections>& connections) const {
  const ScopeId to = of_name_[reader], from = of_name_[writer];
  if (to == from) return;
  if (to == no_scope || from == no_scope) {
    if (is_open(to) && !model_.node(writer).inputs().empty()) connections[to].has_unnamed = true;
    if (is_open(from)) connections[from].has_unnamed = true;
    return;
  }
  if (is_open(to)) connections[to].scopes.push_back(from);
  if (is_open(from)) connections[from].scopes.push_back(to);
}

std::vector<ScopeResolver::Connections> ScopeResolver::connections_of_open_scopes() const {
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
// decision may enable others, so this repeats until nothing changes, at most `most_wiring_rounds` times.
void ScopeResolver::decide_by_wiring() {
  if (std::none_of(scopes_.begin(), scopes_.end(),
                   [](const Scope& scope) { return scope.matches.size() > 1; }))
    return;
  std::vector<Connections> connections = connections_of_open_scopes();
  find_siblings();
  bool changed = true;
  for (int round = 0; changed && round < most_wiring_rounds; ++round) {
    changed = false;
    for (ScopeId id = 0; id < scopes_.size(); ++id) {
      if (connections[id].scopes.empty() || !is_open(id) || !connections[id].may_decide) continue;
      connections[id].may_decide = false;
      changed |= decide_by_connections(id, connections);
    }
  }
}

// Returns whether the scope was decided. Marks the scopes that this decision may help to decide.
bool ScopeResolver::decide_by_connections(ScopeId id, std::vector<Connections>& connections) {
  const ModuleId picked = leave_to_siblings(id) ? scopes_[id].matches.front().module
                                                : pick_by_neighbours(scopes_[id], connections[id].scopes,
                                                                     connections[id].has_unnamed);
  if (picked == no_module) return false;
  if (const auto group = siblings_.find(id); group != siblings_.end())
    for (const ScopeId other : *group->second) connections[other].may_decide = true;
  scopes_[id].matches = {{picked, 0, Fit::wired}};
  for (const ScopeId other : connections[id].scopes) connections[other].may_decide = true;
  return true;
}

ModuleId ScopeResolver::pick_by_neighbours(const Scope& scope, const std::vector<ScopeId>& neighbours,
                                           bool blind) {
  std::set<ModuleId> inside, around, layer;
  for (const ScopeId other : neighbours) {
    if (scopes_[other].matches.size() != 1) continue;
    if (!spend(scope.matches.size())) return no_module;
    const ModuleId neighbour = scopes_[other].matches.front().module;
    const std::string_view where = tree_[neighbour].path;
    const bool tells = std::any_of(scope.matches.begin(), scope.matches.end(), [&](const ScopeMatch& rival) {
      return cross_layer(tree_[rival.module].path, where);
    });
    for (const ScopeMatch& match : scope.matches) {
      if (tree_.within(neighbour, match.module)) inside.insert(match.module);
      if (match.module != root && tree_.within(neighbour, tree_[match.module].parent))
        around.insert(match.module);
      if (tells && !cross_layer(tree_[match.module].path, where)) layer.insert(match.module);
    }
  }
  if (blind)
    layer.clear();  // the visible neighbour may be in the next layer, and the hidden one in this layer
  const std::set<ModuleId>& closest = !inside.empty() ? inside : !around.empty() ? around : layer;
  return closest.size() == 1 ? *closest.begin() : no_module;
}

// The k-th scope of a module is its k-th call. Scopes that contain other scopes count as well.
void ScopeResolver::number_calls(const std::vector<ScopeId>& order) {
  std::vector<std::uint32_t> calls(tree_.size());
  for (const ScopeId id : order)
    if (Scope& scope = scopes_[id]; scope.matches.size() == 1)
      scope.matches.front().call = calls[scope.matches.front().module]++;
}

}  // namespace thence::hierarchy
