#include "hierarchy/scope_resolver.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/format.h"
#include "base/text.h"
#include "hierarchy/scope_thresholds.h"

namespace thence::hierarchy {
namespace {

using modules::are_in_different_layers;
using modules::root;

void add_once(std::vector<ModuleId>& modules, ModuleId module) {
  if (modules.size() <= most_candidates && std::find(modules.begin(), modules.end(), module) == modules.end())
    modules.push_back(module);
}

// Whether a call of the module adds this component. That of a traced module is its last atom, even if that is
// a number.
bool is_component_of(std::string_view component, std::string_view path) {
  if (scope_component(path) == component) return true;
  return base::is_digits(component) && path.size() > component.size() && path.ends_with(component) &&
         path[path.size() - component.size() - 1] == '.';
}

}  // namespace

ScopeResolver::ScopeResolver(const onnx::Model& model, ModuleTree& tree, ScopeStyle style, Scopes& scopes,
                             const std::vector<ScopeId>& node_scopes)
    : model_(model), tree_(tree), style_(style), scopes_(scopes), node_scopes_(node_scopes) {}

void ScopeResolver::run(const std::vector<ParameterOwner>& parameters) {
  first_new_module_ = static_cast<ModuleId>(tree_.size());
  collect_owners(parameters);
  if (tree_.is_complete())
    for (ModuleId module = 0; module < tree_.size(); ++module)
      if (tree_[module].first == no_module)
        by_component_[scope_component(tree_[module].path)].push_back(module);
  const std::vector<ScopeId> order = order_outermost_first();
  propagate_owners_outwards(order);
  work_left_ = min_work + work_per_scope * scopes_.size();
  candidates_left_ = min_candidates_kept + candidates_kept_per_scope * scopes_.size();
  for (const ScopeId id : order) {
    Scope& scope = scopes_[current_ = id];
    if (scope.parameter_owners.size() <= most_candidates) resolve(scope);
    // Too many candidates to compare: the scope and its inner scopes stay unknown.
    if (scope.matches.size() > std::min(most_candidates, candidates_left_)) scope.matches = {};
    if (scope.matches.size() > 1) candidates_left_ -= scope.matches.size();
  }
  decide_ambiguous_scopes();
  if (!tree_.is_complete()) doubt_names_of_several_modules();
  number_calls();
}

// Outer scopes come first, because they are read and numbered before their inner scopes. Scopes with a number
// and without inner scopes come last, in order of their numbers: they may be further calls of unnumbered
// scopes.
std::vector<ScopeId> ScopeResolver::order_outermost_first() const {
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
// likely a call of `a.b.fc`, wherever the rest of the chain leads. So is one of "b", whose forward may read
// the weight of `fc` itself.
void ScopeResolver::collect_owners(const std::vector<ParameterOwner>& parameters) {
  for (onnx::NodeId id = 0; id < model_.node_count(); ++id) {
    if (node_scopes_[id] == no_scope) continue;
    Scope& scope = scopes_[node_scopes_[id]];
    for (const onnx::ValueId input : model_.node(id).inputs()) {
      if (input == onnx::none) continue;
      const onnx::Producer producer = model_.producer(input);
      if (producer.kind != onnx::Producer::Kind::initializer) continue;
      ModuleId owner = parameters[producer.index].module;
      for (; owner != no_module && owner != root; owner = tree_[owner].parent) {
        const std::string_view path = tree_[owner].path;
        if (!is_component_of(scope.component, path) &&
            scope_component(path) != component_without_number(scope))
          continue;
        add_once(scope.parameter_owners, owner);
        break;
      }
    }
  }
}

// The location of an inner scope also determines the location of its outer scope.
void ScopeResolver::propagate_owners_outwards(const std::vector<ScopeId>& order) {
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Scope& scope = scopes_[*at];
    if (scope.outer == no_scope || scopes_[scope.outer].text.empty()) continue;
    Scope& outer = scopes_[scope.outer];
    for (const ModuleId owner : scope.parameter_owners) {
      const std::string_view path = tree_[owner].path;
      const std::string_view component = scope_component(path);
      std::string_view outer_path =
          path.size() > component.size() ? path.substr(0, path.size() - component.size() - 1) : "";
      if (component.starts_with(outer.component) && scope_component(outer_path) != outer.component)
        outer_path = path.substr(0, path.rfind('.') == std::string_view::npos ? 0 : path.rfind('.'));
      if (outer_path.empty() || !is_component_of(outer.component, outer_path)) continue;
      if (const ModuleId module = tree_.find_as_called(outer_path); module != no_module)
        add_once(outer.parameter_owners, module);
    }
  }
}

std::string_view ScopeResolver::join_path(std::string_view outer, std::string_view component) {
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

// Whether a child of this name would be in the tree.
bool ScopeResolver::is_listed(ModuleId outer, std::string_view component) {
  return tree_.is_complete_at(join_path(tree_[outer].path, component));
}

bool ScopeResolver::add_match(Scope& scope, ModuleId module, ScopeMatchKind kind) {
  if (module == no_module) return false;
  if (module >= matched_.size()) matched_.resize(tree_.size(), no_scope);
  if (matched_[module] != current_) scope.matches.push_back({module, {}, kind});
  matched_[module] = current_;
  return true;
}

bool ScopeResolver::charge_work(std::size_t work) {
  const bool enough = work <= work_left_;
  work_left_ -= enough ? work : work_left_;
  return enough;
}

void ScopeResolver::resolve(Scope& scope) {
  if (scope.outer == no_scope) {
    if (scope.text.empty()) scope.matches.push_back({root, {}, ScopeMatchKind::direct_child});
    return;
  }
  const std::vector<ScopeMatch>& outers = scopes_[scope.outer].matches;
  if (outers.empty()) return;
  const ModuleId outer = outers.front().module;
  if (style_ == ScopeStyle::bare) {
    add_match(scope, tree_.add(join_path(tree_[outer].path, scope.component)),
              ScopeMatchKind::other_framework);
    return;
  }
  if (outers.size() > 1) return resolve_with_ambiguous_outer(scope, outers);
  if (resolve_component(scope, outer, scope.component)) return;
  if (const std::string_view base = component_without_number(scope); !base.empty()) {
    if (resolve_component(scope, outer, base)) return;
    // Call k of a module has a name only if call k-1 has one. Without a scope for call k-1, the number is
    // part of the module's name.
    const std::string first =
        std::string(scope.text.substr(0, scope.text.size() - scope.component.size())) + std::string(base);
    if (const ScopeId found = scopes_.find(first); found != no_scope && !is_listed(outer, base))
      for (const ScopeMatch& match : scopes_[found].matches)
        add_match(scope, match.module, ScopeMatchKind::uncorroborated_call);
    if (!scope.matches.empty()) return;
  }
  if (!is_listed(outer, scope.component)) add_named_module(scope, outer);
}

// The outer scope may be any of several modules, because layers whose `forward` is called directly leave no
// scope. The parameters that this scope reads may decide. Otherwise the candidates stay ambiguous until
// connections are used.
void ScopeResolver::resolve_with_ambiguous_outer(Scope& scope, const std::vector<ScopeMatch>& outers) {
  for (const ModuleId owner : scope.parameter_owners) add_match(scope, owner, ScopeMatchKind::skipped_level);
  if (!scope.matches.empty()) return;
  const std::string_view base = component_without_number(scope);
  if (!charge_work(4 * outers.size())) return;
  for (const ScopeMatch& outer : outers) {
    const std::string_view outer_path = tree_[outer.module].path;
    if (add_match(scope, tree_.find_as_called(join_path(outer_path, scope.component)),
                  ScopeMatchKind::skipped_level))
      continue;
    const std::string_view component = base.empty() ? scope.component : base;
    add_match(scope,
              is_listed(outer.module, component) ? tree_.find_as_called(join_path(outer_path, component))
                                                 : tree_.add(join_path(outer_path, component)),
              ScopeMatchKind::skipped_level);
  }
}

// A module named only by scopes gains no support from a repeated name. And a presumed second call may be
// another module, with a number in its name or with the same name elsewhere.
ScopeMatchKind ScopeResolver::match_kind_of(const Scope& scope, ModuleId module,
                                            std::string_view component) const {
  if (scopes_[scope.outer].matches.front().kind == ScopeMatchKind::other_caller)
    return ScopeMatchKind::other_caller;
  const bool was_known = module < first_new_module_ || tree_[module].first != no_module;
  if (was_known) return ScopeMatchKind::direct_child;
  return component == scope.component ? ScopeMatchKind::uncorroborated : ScopeMatchKind::uncorroborated_call;
}

// Finds the modules that a component may name below `outer`: a direct child, a repeated container, the owner
// of the parameters that the scope reads and, in a complete tree, any module with that name.
bool ScopeResolver::resolve_component(Scope& scope, ModuleId outer, std::string_view component) {
  const std::string_view outer_path = tree_[outer].path;
  if (const ModuleId below = tree_.find_as_called(join_path(outer_path, component)); below != no_module)
    return add_match(scope, below, match_kind_of(scope, below, component));
  if (const std::string_view repeated = repeated_container(outer_path, component); !repeated.empty())
    if (add_match(scope, tree_.find_as_called(repeated), ScopeMatchKind::repeated_container)) return true;
  match_parameter_owners(scope, outer, component);
  if (scope.matches.empty() && is_listed(outer, component)) match_by_name(scope, outer, component);
  return !scope.matches.empty();
}

// Matches owners of the parameters that the scope's nodes read, if the owner has the scope's name.
void ScopeResolver::match_parameter_owners(Scope& scope, ModuleId outer, std::string_view component) {
  for (const ModuleId owner : scope.parameter_owners) {
    if (!is_component_of(component, tree_[owner].path)) continue;
    // Two modules may share a tensor. If the owner has its own scope elsewhere, this scope may equally be
    // another module that shares the tensor, so the name alone counts.
    if (!tree_.is_complete() && !tree_.is_within(owner, outer) && has_own_scope(owner)) continue;
    add_match_below(scope, outer, owner);
  }
}

// Matches modules with the given name: those below `outer` or, if there are none, those elsewhere.
void ScopeResolver::match_by_name(Scope& scope, ModuleId outer, std::string_view component) {
  const auto named = by_component_.find(component);
  if (named == by_component_.end() || named->second.size() > most_candidates ||
      !charge_work(named->second.size()))
    return;
  for (const ModuleId module : named->second)
    if (tree_.is_within(tree_.as_called_by(outer, module), outer)) add_match_below(scope, outer, module);
  if (!scope.matches.empty()) return;
  for (const ModuleId module : named->second) add_match_below(scope, outer, module);
}

// The exporter names a module after its first path, also where it is called by another.
void ScopeResolver::add_match_below(Scope& scope, ModuleId outer, ModuleId module) {
  const ModuleId called = tree_.as_called_by(outer, module);
  add_match(scope, called,
            tree_.is_within(called, outer) ? ScopeMatchKind::skipped_level
            : tree_.is_complete()          ? ScopeMatchKind::foreign_caller
                                           : ScopeMatchKind::other_caller);
}

void ScopeResolver::add_named_module(Scope& scope, ModuleId outer) {
  const std::string_view outer_path = tree_[outer].path;
  const std::string_view repeated = repeated_container(outer_path, scope.component);
  if (!repeated.empty())
    add_match(scope, tree_.add(repeated), ScopeMatchKind::repeated_container);
  else
    add_match(scope, tree_.add(join_path(outer_path, scope.component)),
              is_called_elsewhere(scope) ? ScopeMatchKind::other_caller : ScopeMatchKind::uncorroborated);
}

// Whether a module elsewhere owns what the scope reads, or the scope is inside such a call.
bool ScopeResolver::is_called_elsewhere(const Scope& scope) const {
  if (scopes_[scope.outer].matches.front().kind == ScopeMatchKind::other_caller) return true;
  return std::any_of(scope.parameter_owners.begin(), scope.parameter_owners.end(),
                     [&](ModuleId owner) { return scope_component(tree_[owner].path) == scope.component; });
}

// Whether the file has the scope that a call of this module through its parents would produce.
bool ScopeResolver::has_own_scope(ModuleId module) const {
  std::vector<std::string_view> components;  // innermost first
  for (std::string_view path = tree_[module].path; !path.empty();) {
    components.push_back(scope_component(path));
    path = components.back().size() >= path.size()
               ? std::string_view()
               : path.substr(0, path.size() - components.back().size() - 1);
  }
  std::string text;
  for (auto component = components.rbegin(); component != components.rend(); ++component) {
    // A container that is called adds its scope: "/blocks/blocks.0".
    for (std::size_t dot = component->find('.'); dot != std::string_view::npos;
         dot = component->find('.', dot + 1))
      if (const std::string called = text + '/' + std::string(component->substr(0, dot));
          scopes_.find(called) != no_scope)
        text = called;
    text.append(1, '/').append(*component);
  }
  return scopes_.find(text) != no_scope;
}

}  // namespace thence::hierarchy
