#include "hierarchy/scope_index.h"

#include <algorithm>

#include "base/text.h"
#include "hierarchy/compiled_instances.h"
#include "hierarchy/limits.h"
#include "hierarchy/scope_correspondence.h"
#include "hierarchy/scope_resolver.h"

namespace thence::hierarchy {
namespace {

ScopeStyle find_style(const onnx::Model& model) {
  std::uint32_t bare = 0, named = 0;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const std::string_view name = model.node(id).name();
    if (name.empty()) continue;
    ++named;
    if (name.front() == '/') return ScopeStyle::from_root;
    if (name.find('/') != std::string_view::npos) ++bare;
  }
  for (onnx::ValueId value = 0; value < model.value_count(); ++value)
    if (scope_of_value_name(model.value_name(value), ScopeStyle::from_root)) return ScopeStyle::from_root;
  return bare * 2 > named ? ScopeStyle::bare : ScopeStyle::none;
}

}  // namespace

ScopeIndex::ScopeIndex(const onnx::Model& model, ModuleTree& tree,
                       const std::vector<ParameterOwner>& parameters)
    : style_(find_style(model)) {
  const std::vector<ScopeId> node_scopes = collect(model, tree);
  if (style_ == ScopeStyle::none) return;
  ScopeResolver(model, tree, style_, scopes_, node_scopes).run(parameters);
  if (style_ == ScopeStyle::from_root)
    inside_ = match_compiled_instances(model, tree, scopes_, name_scopes_, parameters);
}

ScopeIndex::ScopeIndex(const onnx::Model& model, ModuleTree& tree, const WeightOwners& owners,
                       BuilderStacks stacks)
    : style_(stacks.empty() ? find_style(model) : ScopeStyle::from_root), stacks_(std::move(stacks)) {
  const std::vector<ScopeId> node_scopes =
      stacks_.empty() ? collect(model, tree) : collect_stacks(model, tree);
  ScopeCorrespondence(model, tree, scopes_, node_scopes, owners).run();
}

// The scope in the name of each node, or else in the names of its outputs.
std::vector<ScopeId> ScopeIndex::collect(const onnx::Model& model, ModuleTree& tree) {
  name_scopes_.assign(model.node_count(), no_scope);
  if (style_ == ScopeStyle::none) return name_scopes_;
  std::string_view last_text;
  ScopeId last = no_scope;
  const auto find = [&](std::string_view text) {
    if (last == no_scope || text != last_text) {
      last = intern(text, tree);
      last_text = text;
    }
    return last;
  };
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) {
    const onnx::Node node = model.node(id);
    const std::string_view name = node.name();
    if (const auto scope = scope_of_node_name(name, style_)) name_scopes_[id] = find(*scope);
    for (const onnx::ValueId output : node.outputs()) {
      if (output == onnx::none) continue;
      const std::string_view value = model.value_name(output);
      if (!name.empty() && value.starts_with(name)) break;  // the same scope as in the node's name
      const auto scope = scope_of_value_name(value, style_);
      if (!scope) continue;
      const ScopeId found = find(*scope);
      if (found != no_scope && found != name_scopes_[id]) output_scopes_.push_back({id, found});
      break;
    }
  }
  std::vector<ScopeId> node_scopes = name_scopes_;
  for (const ValueScope& output : output_scopes_)
    if (node_scopes[output.node] == no_scope) node_scopes[output.node] = output.scope;
  return node_scopes;
}

std::vector<ScopeId> ScopeIndex::collect_stacks(const onnx::Model& model, ModuleTree& tree) {
  name_scopes_.assign(model.node_count(), no_scope);
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    if (const auto text = stacks_.of(id)) name_scopes_[id] = intern(*text, tree);
  return name_scopes_;
}

ScopeId ScopeIndex::scope_in_outputs(onnx::NodeId node) const {
  const auto found =
      std::lower_bound(output_scopes_.begin(), output_scopes_.end(), node,
                       [](const ValueScope& entry, onnx::NodeId id) { return entry.node < id; });
  return found != output_scopes_.end() && found->node == node ? found->scope : no_scope;
}

// Interns a scope and its outer scopes, from the outermost inwards. If the tree is full, it has no memory for
// their modules either.
ScopeId ScopeIndex::intern(std::string_view text, ModuleTree& tree) {
  if (const ScopeId found = scopes_.find(text); found != no_scope) return found;
  if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '/')) > ModuleTree::max_depth)
    return no_scope;
  std::vector<std::string_view>& missing = missing_;
  missing.assign(1, text);
  ScopeId outer = no_scope;
  while (outer == no_scope && !missing.back().empty()) {
    const std::string_view outer_text = split_scope(missing.back(), style_).outer;
    outer = scopes_.find(outer_text);
    if (outer == no_scope) missing.push_back(outer_text);
  }
  if (!tree.charge_memory(missing.size() * bytes_per_scope)) return no_scope;
  for (auto next = missing.rbegin(); next != missing.rend(); ++next)
    outer = scopes_.add(*next, split_scope(*next, style_).component, outer);
  return outer;
}

ScopeId Scopes::find(std::string_view text) const {
  return by_text_.find(text, [this](ScopeId scope) { return all_[scope].text; });
}

ScopeId Scopes::add(std::string_view text, std::string_view component, ScopeId outer) {
  const auto id = static_cast<ScopeId>(all_.size());
  Scope& scope = all_.emplace_back();
  scope.text = text;
  scope.component = component;
  scope.outer = outer;
  if (outer != no_scope) all_[outer].is_inner = true;
  by_text_.add(text, id);
  return id;
}

bool has_foreign_scopes(const onnx::Model& model) {
  bool has_scopes = false;
  for (onnx::NodeId id = 0; id < model.node_count() && !has_scopes; ++id)
    has_scopes = model.node(id).name().starts_with('/');
  if (!has_scopes) return false;
  for (onnx::ValueId value = 0; value < model.value_count(); ++value)
    if (scope_of_value_name(model.value_name(value), ScopeStyle::from_root)) return false;
  return true;
}

std::string_view component_without_number(const Scope& scope) {
  base::NumberedName name;
  return !scope.is_inner && base::take_number_suffix(scope.component, name) ? name.base : std::string_view();
}

}  // namespace thence::hierarchy
