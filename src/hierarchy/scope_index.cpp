#include "hierarchy/scope_index.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"

namespace thence::hierarchy {
namespace {

constexpr std::size_t max_rivals = 8;

std::string join(std::string_view outer, std::string_view component) {
  return outer.empty() ? std::string(component) : std::string(outer) + "." + std::string(component);
}

// A called container `blocks` has the scope component "blocks", its child "blocks.0": the child's path is the
// container's and the number, not the container's and "blocks.0".
std::string repeated_container(std::string_view outer, std::string_view component) {
  const std::string_view own = scope_component(outer);
  if (own.empty() || !component.starts_with(own) || component.size() <= own.size() + 1 || component[own.size()] != '.')
    return {};
  for (const std::string_view atom : base::split(component.substr(own.size() + 1), '.'))
    if (!base::is_digits(atom)) return {};
  return std::string(outer) + std::string(component.substr(own.size()));
}

}  // namespace

ScopeIndex::ScopeIndex(const onnx::Model& model, ModuleTree& tree, const std::vector<ParameterOwner>& parameters)
    : model_(model), tree_(tree) {
  find_style();
  of_name_.assign(model.node_count(), no_scope);
  if (style_ == ScopeStyle::none) return;
  collect();
  collect_owners(parameters);
  if (tree_.complete())
    for (ModuleId module = 0; module < tree_.size(); ++module)
      by_component_[scope_component(tree_[module].path)].push_back(module);

  std::vector<ScopeId> order(scopes_.size());
  for (ScopeId scope = 0; scope < scopes_.size(); ++scope) order[scope] = scope;
  // Outer scopes first; plain names before numbered ones, which may be calls of the former.
  const auto depth = [&](ScopeId scope) {
    return std::count(scopes_[scope].text.begin(), scopes_[scope].text.end(), '/');
  };
  const auto numbered = [&](ScopeId scope) {
    base::NumberedName name;
    return base::take_number_suffix(scopes_[scope].component, name);
  };
  std::vector<std::tuple<std::ptrdiff_t, bool, std::string_view, ScopeId>> keyed;
  keyed.reserve(order.size());
  for (const ScopeId scope : order) keyed.emplace_back(depth(scope), numbered(scope), scopes_[scope].text, scope);
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = std::get<3>(keyed[i]);
  pass_owners_outwards(order);
  for (const ScopeId scope : order) resolve(scope);
}

void ScopeIndex::find_style() {
  std::uint32_t from_root = 0, bare = 0, named = 0;
  for (onnx::NodeId id = 0; id < model_.node_count(); ++id) {
    const std::string_view name = model_.node(id).name();
    if (name.empty()) continue;
    ++named;
    if (name.front() == '/') ++from_root;
    else if (name.find('/') != std::string_view::npos) ++bare;
  }
  bool values_from_root = false;
  if (from_root == 0)
    for (onnx::ValueId value = 0; value < model_.value_count() && !values_from_root; ++value)
      values_from_root = scope_of_value_name(model_.value_name(value), ScopeStyle::from_root).has_value();
  if (from_root > 0 || values_from_root) style_ = ScopeStyle::from_root;
  else if (bare * 2 > named) style_ = ScopeStyle::bare;
}

void ScopeIndex::collect() {
  std::string_view last_text;
  ScopeId last = no_scope;
  const auto find = [&](std::string_view text) {
    if (last == no_scope || text != last_text) {
      last = intern(text);
      last_text = text;
    }
    return last;
  };
  for (onnx::NodeId id = 0; id < model_.node_count(); ++id) {
    const onnx::Node node = model_.node(id);
    const std::string_view name = node.name();
    if (const auto scope = scope_of_node_name(name, style_)) of_name_[id] = find(*scope);
    for (const onnx::ValueId output : node.outputs()) {
      if (output == onnx::none) continue;
      const std::string_view value = model_.value_name(output);
      if (!name.empty() && value.starts_with(name)) break;  // says what the node's name says
      const auto scope = scope_of_value_name(value, style_);
      if (!scope) continue;
      const ScopeId found = find(*scope);
      if (found != no_scope && found != of_name_[id]) of_values_.push_back({id, found});
      break;
    }
  }
}

ScopeId ScopeIndex::of_values(onnx::NodeId node) const {
  const auto found = std::lower_bound(of_values_.begin(), of_values_.end(), node,
                                      [](const ValueScope& entry, onnx::NodeId id) { return entry.node < id; });
  return found != of_values_.end() && found->node == node ? found->scope : no_scope;
}

// Interns a scope and those around it, from the outermost in.
ScopeId ScopeIndex::intern(std::string_view text) {
  if (const auto found = by_text_.find(text); found != by_text_.end()) return found->second;
  if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '/')) > ModuleTree::max_depth) return no_scope;
  std::vector<std::string_view> missing;
  ScopeId outer = no_scope;
  for (std::string_view at = text;; at = split_scope(at, style_).outer) {
    if (const auto found = by_text_.find(at); found != by_text_.end()) {
      outer = found->second;
      break;
    }
    missing.push_back(at);
    if (at.empty()) break;
  }
  for (auto next = missing.rbegin(); next != missing.rend(); ++next) {
    const auto id = static_cast<ScopeId>(scopes_.size());
    Scope& scope = scopes_.emplace_back();
    scope.text = *next;
    scope.component = split_scope(*next, style_).component;
    scope.outer = outer;
    if (outer != no_scope) scopes_[outer].is_inner = true;
    by_text_.emplace(*next, id);
    outer = id;
  }
  return outer;
}

// A scope that reads `a.b.fc.weight` and whose last component is "fc" (or "fc_2", its third call) is most
// likely a call of `a.b.fc`, wherever the chain before it leads.
void ScopeIndex::collect_owners(const std::vector<ParameterOwner>& parameters) {
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
      base::NumberedName numbered;
      const bool called_again = base::take_number_suffix(scope.component, numbered) && numbered.base == component;
      if (component != scope.component && !called_again) continue;
      auto& owners = scope.parameter_owners;
      if (owners.size() < max_rivals && std::find(owners.begin(), owners.end(), owner) == owners.end())
        owners.push_back(owner);
    }
  }
}

// What is known of an inner scope says where the one around it lies, too.
void ScopeIndex::pass_owners_outwards(const std::vector<ScopeId>& order) {
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Scope& scope = scopes_[*at];
    if (scope.outer == no_scope || scopes_[scope.outer].text.empty() || scope.parameter_owners.size() != 1) continue;
    Scope& outer = scopes_[scope.outer];
    const std::string_view path = tree_[scope.parameter_owners.front()].path;
    const std::string_view component = scope_component(path);
    std::string_view around = path.size() > component.size() ? path.substr(0, path.size() - component.size() - 1) : "";
    if (component.starts_with(outer.component) && scope_component(around) != outer.component)
      around = path.substr(0, path.rfind('.') == std::string_view::npos ? 0 : path.rfind('.'));
    if (around.empty() || scope_component(around) != outer.component) continue;
    const ModuleId module = tree_.find(around);
    auto& owners = outer.parameter_owners;
    if (module != no_module && owners.size() < max_rivals && std::find(owners.begin(), owners.end(), module) == owners.end())
      owners.push_back(module);
  }
}

void ScopeIndex::add_match(Scope& scope, ModuleId module, std::uint32_t call, Fit fit) {
  if (module == no_module || scope.matches.size() == max_rivals) return;
  for (const ScopeMatch& match : scope.matches)
    if (match.module == module) return;
  scope.matches.push_back({module, call, fit});
}

void ScopeIndex::resolve(ScopeId id) {
  Scope& scope = scopes_[id];
  if (scope.outer == no_scope) {
    if (scope.text.empty()) scope.matches.push_back({root, 0, Fit::known});
    return;
  }
  const std::vector<ScopeMatch> outers = scopes_[scope.outer].matches;
  if (style_ == ScopeStyle::bare) {
    if (!outers.empty()) add_match(scope, tree_.add(join(tree_[outers.front().module].path, scope.component)), 0, Fit::bare);
    return;
  }
  for (const ScopeMatch& outer : outers) resolve_component(scope, outer.module, scope.component, 0);
  if (!scope.matches.empty()) return;
  base::NumberedName numbered;
  if (!scope.is_inner && base::take_number_suffix(scope.component, numbered)) {
    for (const ScopeMatch& outer : outers) resolve_component(scope, outer.module, numbered.base, numbered.number);
    if (!scope.matches.empty()) return;
    if (!tree_.complete()) {
      // Call k of a module is named only after call k-1 was: without a scope for that, the number is the name's own.
      const std::string before(scope.text.substr(0, scope.text.size() - scope.component.size()) );
      if (const auto first = by_text_.find(before + std::string(numbered.base)); first != by_text_.end())
        for (const ScopeMatch& match : scopes_[first->second].matches) add_match(scope, match.module, numbered.number, Fit::spelled);
      if (!scope.matches.empty()) return;
    }
  }
  if (tree_.complete() || outers.empty()) return;
  const std::string_view around = tree_[outers.front().module].path;
  const std::string repeated = repeated_container(around, scope.component);
  if (!repeated.empty()) add_match(scope, tree_.add(repeated), 0, Fit::container);
  else add_match(scope, tree_.add(join(around, scope.component)), 0, Fit::spelled);
}

// The modules that a component may mean below `outer`, by what is known: straight below, a repeated container, the
// owner of the parameters it reads, and in a complete tree whatever bears the name.
void ScopeIndex::resolve_component(Scope& scope, ModuleId outer, std::string_view component, std::uint32_t call) {
  const std::string_view around = tree_[outer].path;
  if (const ModuleId direct = tree_.find(join(around, component)); direct != no_module)
    return add_match(scope, direct, call, Fit::known);
  if (const std::string repeated = repeated_container(around, component); !repeated.empty())
    if (const ModuleId module = tree_.find(repeated); module != no_module)
      return add_match(scope, module, call, Fit::container);
  bool found = false;
  for (const ModuleId owner : scope.parameter_owners) {
    if (scope_component(tree_[owner].path) != component) continue;
    // Two modules may share one tensor. If the owner has a scope of its own elsewhere, then this one is as
    // likely another module tied to it as the owner called from here; the name's own word is taken.
    if (!tree_.complete() && !tree_.within(owner, outer) && scope_of_its_own(owner)) continue;
    add_match(scope, owner, call, tree_.within(owner, outer) ? Fit::skipped : Fit::foreign);
    found = true;
  }
  if (found || !tree_.complete()) return;
  const auto named = by_component_.find(component);
  if (named == by_component_.end()) return;
  for (const ModuleId module : named->second)
    if (tree_.within(module, outer)) add_match(scope, module, call, Fit::skipped);
  if (!scope.matches.empty()) return;
  for (const ModuleId module : named->second) add_match(scope, module, call, Fit::foreign);
}

// Whether the file has the scope that a call of this module by its parents would leave.
bool ScopeIndex::scope_of_its_own(ModuleId module) const {
  std::string text;
  std::vector<std::string_view> components;
  for (ModuleId at = module; at != root;) {
    const std::string_view component = scope_component(tree_[at].path);
    components.push_back(component);
    const std::string_view path = tree_[at].path;
    if (component.size() >= path.size()) break;
    at = tree_.find(path.substr(0, path.size() - component.size() - 1));
    if (at == no_module) return false;
  }
  for (auto next = components.rbegin(); next != components.rend(); ++next) text += "/" + std::string(*next);
  return by_text_.contains(text);
}

}  // namespace thence::hierarchy
