#include "query/term_matchers.h"

#include <algorithm>

#include "modules/class_glob.h"
#include "semantics/layer_counts.h"
#include "weights/trace.h"

namespace thence::query {

using modules::class_matches;
using modules::ModuleId;
using modules::no_module;

namespace {

void raise_hit(Hit& hit, Hit to) { hit = std::max(hit, to); }

}  // namespace

ModuleMatcher::ModuleMatcher(const semantics::Map& map, const Selector& selector)
    : map_(map),
      selector_(selector),
      matches_(map.tree().size(), true),
      has_nodes_(map.tree().size(), false) {
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) {
    if (map.answer(id).known()) has_nodes_[map.answer(id).module] = true;
    if (has_members(id))
      for (const ModuleId module : map.modules_of(id)) has_nodes_[module] = true;
  }
  restrict_to(SelectorKind::module, true, [&](ModuleId module) {
    return [this, module](const Term& term) { return path_matches(term, module); };
  });
  restrict_to_subtrees();
  restrict_to(SelectorKind::class_name, false, [&](ModuleId module) {
    const ModuleId own = map.hf_module(module);
    return [name = map.tree()[module].class_name,
            hf_name = own == no_module ? std::string_view() : map.tree()[own].class_name](const Term& term) {
      return class_matches(term.glob, name) || class_matches(term.glob, hf_name);
    };
  });
  restrict_to(SelectorKind::role, false, [&](ModuleId module) {
    return [role = map.role(module)](const Term& term) {
      return (!role.type.empty() && term.glob.matches_word(role.type)) ||
             (!role.classification.empty() && term.glob.matches_word(role.classification)) ||
             (!role.operation.empty() && term.glob.matches_word(role.operation));
    };
  });
  restrict_to(SelectorKind::component, false, [&](ModuleId module) {
    return [role = map.role(module)](const Term& term) {
      return role.has_component(
          [&](std::string_view component) { return term.glob.matches_word(component); });
    };
  });
  restrict_to_layers();
}

void ModuleMatcher::restrict_to_layers() {
  const std::vector<Term>& terms = selector_.terms(SelectorKind::layer);
  std::optional<semantics::LayerCounts> counts;
  if (std::any_of(terms.begin(), terms.end(), [](const Term& term) { return term.layers.counts_from_end(); }))
    counts.emplace(map_);
  restrict_to(SelectorKind::layer, false, [&](ModuleId module) {
    const std::vector<modules::LayerStep> layers = map_.layers(module);
    const std::uint64_t count = layers.empty() || !counts ? 0 : counts->of(layers.front());
    return [is_layer = !layers.empty(), index = layers.empty() ? 0 : layers.front().index,
            count](const Term& term) { return is_layer && term.layers.has(index, count); };
  });
}

bool ModuleMatcher::path_matches(const Term& term, ModuleId module) const {
  const modules::Module& one = map_.tree()[module];
  // An alias by which the module was called is a separate module.
  return term.glob.matches(one.path) ||
         std::any_of(one.aliases.begin(), one.aliases.end(), [&](std::string_view alias) {
           return map_.tree().find(alias) == module && term.glob.matches(alias);
         });
}

// Every term is evaluated for every module, so that a term without matches can be reported. `read` reads a
// module once and returns the test of a term.
template <class Read>
void ModuleMatcher::restrict_to(SelectorKind kind, bool all_modules, Read read) {
  const std::vector<Term>& terms = selector_.terms(kind);
  if (terms.empty()) return;
  has_terms_ = true;
  Hits& hits = hits_[static_cast<std::size_t>(kind)];
  hits.assign(terms.size(), Hit::nothing);
  for (ModuleId module = 0; module < matches_.size(); ++module) {
    bool any = false;
    if (all_modules || has_nodes_[module]) {
      const auto matches_term = read(module);
      for (std::size_t i = 0; i < terms.size(); ++i)
        if (matches_term(terms[i])) {
          any = true;
          raise_hit(hits[i], has_nodes_[module] ? Hit::nodes : Hit::without_nodes);
        }
    }
    if (!any) matches_[module] = false;
  }
}

void ModuleMatcher::restrict_to_subtrees() {
  const std::vector<Term>& terms = selector_.terms(SelectorKind::under);
  if (terms.empty()) return;
  has_terms_ = true;
  Hits& hits = hits_[static_cast<std::size_t>(SelectorKind::under)];
  hits.assign(terms.size(), Hit::nothing);
  std::vector<bool> any(matches_.size(), false), inside(matches_.size());
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (ModuleId module = 0; module < matches_.size(); ++module) {  // outer modules come first
      inside[module] =
          (module != modules::root && inside[map_.tree()[module].parent]) || path_matches(terms[i], module);
      if (!inside[module]) continue;
      any[module] = true;
      raise_hit(hits[i], has_nodes_[module] ? Hit::nodes : Hit::without_nodes);
    }
  for (ModuleId module = 0; module < matches_.size(); ++module)
    if (!any[module]) matches_[module] = false;
}

bool ModuleMatcher::has_members(onnx::NodeId node) const {
  if (map_.answer(node).module_set == 0) return false;
  return selector_.shared() || (!selector_.is_exact() && map_.own_parts_of(node) != nullptr);
}

bool ModuleMatcher::matches(onnx::NodeId node) const {
  const resolve::Attribution& answer = map_.answer(node);
  if (answer.known() && matches_[answer.module]) return true;
  if (!has_members(node)) return false;
  const std::vector<ModuleId> modules = map_.modules_of(node);
  return std::any_of(modules.begin(), modules.end(), [&](ModuleId module) { return matches_[module]; });
}

bool OpMatcher::matches(const onnx::Node& node) {
  if (terms_.empty()) return true;
  const std::string_view op = node.op_type(), domain = node.domain();
  if (const auto found = cache_.find(op.data());
      found != cache_.end() && found->second.domain == domain.data())
    return found->second.matches;
  bool any = false;
  for (std::size_t i = 0; i < terms_.size(); ++i)
    if (terms_[i].glob.matches_word(op) && (!terms_[i].domain || terms_[i].domain->matches_word(domain))) {
      any = true;
      hits_[i] = Hit::nodes;
    }
  cache_[op.data()] = {domain.data(), any};
  return any;
}

ParameterMatcher::ParameterMatcher(const semantics::Map& map, const Selector& selector)
    : map_(map), terms_(selector.terms(SelectorKind::parameter)), hits_(terms_.size()) {
  if (terms_.empty()) return;
  weights_ = weights::trace_weights(map);
  matching_.resize(weights_.size());
  is_read_.resize(weights_.size());
  for (std::size_t i = 0; i < weights_.size(); ++i) matching_[i] = matches_initializer(i, Hit::without_nodes);
}

bool ParameterMatcher::matches_initializer(std::size_t initializer, Hit hit) {
  const onnx::ValueId value = map_.model().initializers()[initializer].value;
  bool any = value != onnx::none && matches(map_.model().value_name(value), hit);
  if (weights_[initializer].holds_parameters())
    for (const std::string& each : weights_[initializer].parameters) any |= matches(each, hit);
  return any;
}

bool ParameterMatcher::matches(std::string_view name, Hit hit) {
  bool any = false;
  for (std::size_t i = 0; i < terms_.size(); ++i)
    if (!name.empty() && terms_[i].glob.matches(name)) {
      any = true;
      raise_hit(hits_[i], hit);
    }
  return any;
}

bool ParameterMatcher::matches(const onnx::Node& node) {
  if (terms_.empty()) return true;
  const onnx::Model& model = map_.model();
  bool any = false;
  for (const onnx::ValueId value : node.inputs()) {
    if (value == onnx::none) continue;
    const hierarchy::Hierarchy::SourceParameter source = map_.hierarchy().source_parameter(model, value);
    if (source.initializer == onnx::none) continue;
    const std::string_view own = map_.hierarchy().parameters()[source.initializer].parameter;
    if (source.owner.parameter.data() != own.data()) {  // a copy with its own path
      any |= matches(source.owner.parameter, Hit::nodes);
    } else if (matching_[source.initializer]) {
      any = true;
      if (is_read_[source.initializer]) continue;
      is_read_[source.initializer] = true;
      matches_initializer(source.initializer, Hit::nodes);
    }
  }
  return any;
}

}  // namespace thence::query
