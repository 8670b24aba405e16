#include "query/fitting.h"

#include <algorithm>

#include "modules/class_glob.h"

namespace thence::query {

using modules::class_matches;
using modules::ModuleId;
using modules::no_module;

namespace {

void raise(Hit& hit, Hit to) { hit = std::max(hit, to); }

}  // namespace

FittingModules::FittingModules(const semantics::Map& map, const Selector& selector)
    : map_(map), selector_(selector), fits_(map.tree().size(), true), runs_(map.tree().size(), false) {
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) {
    if (map.answer(id).known()) runs_[map.answer(id).module] = true;
    if (selector.shared() && map.answer(id).module_set != 0)
      for (const ModuleId module : map.modules_of(id)) runs_[module] = true;
  }
  const modules::ModuleTree& tree = map.tree();
  narrow(Kind::module, true, [&](const Term& term, ModuleId module) { return path_fits(term, module); });
  narrow_under();
  narrow(Kind::class_name, false, [&](const Term& term, ModuleId module) {
    const ModuleId own = map.hf_module(module);
    return class_matches(term.glob, tree[module].class_name) ||
           (own != no_module && class_matches(term.glob, tree[own].class_name));
  });
  narrow(Kind::role, false, [&](const Term& term, ModuleId module) {
    const semantics::Role role = map.role(module);
    return (!role.type.empty() && term.glob.matches_word(role.type)) ||
           (!role.classification.empty() && term.glob.matches_word(role.classification));
  });
  narrow(Kind::component, false, [&](const Term& term, ModuleId module) {
    const std::string_view component = map.role(module).component;
    return !component.empty() && term.glob.matches_word(component);
  });
  narrow(Kind::layer, false, [&](const Term& term, ModuleId module) {
    const std::vector<modules::LayerStep> layers = map.layers(module);
    return !layers.empty() && term.layers.has(layers.front().index);
  });
}

bool FittingModules::path_fits(const Term& term, ModuleId module) const {
  const modules::Module& one = map_.tree()[module];
  return term.glob.matches(one.path) ||
         std::any_of(one.aliases.begin(), one.aliases.end(),
                     [&](std::string_view alias) { return term.glob.matches(alias); });
}

// Every term is evaluated for every module, so that a term without matches can be reported.
template <class Test>
void FittingModules::narrow(Kind kind, bool all_modules, Test test) {
  const std::vector<Term>& terms = selector_.terms(kind);
  if (terms.empty()) return;
  asked_ = true;
  Hits& hits = hits_[static_cast<std::size_t>(kind)];
  hits.assign(terms.size(), Hit::nothing);
  for (ModuleId module = 0; module < fits_.size(); ++module) {
    bool any = false;
    if (all_modules || runs_[module])
      for (std::size_t i = 0; i < terms.size(); ++i)
        if (test(terms[i], module)) {
          any = true;
          raise(hits[i], runs_[module] ? Hit::nodes : Hit::without_nodes);
        }
    if (!any) fits_[module] = false;
  }
}

void FittingModules::narrow_under() {
  const std::vector<Term>& terms = selector_.terms(Kind::under);
  if (terms.empty()) return;
  asked_ = true;
  Hits& hits = hits_[static_cast<std::size_t>(Kind::under)];
  hits.assign(terms.size(), Hit::nothing);
  std::vector<bool> any(fits_.size(), false), inside(fits_.size());
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (ModuleId module = 0; module < fits_.size(); ++module) {  // outer modules come first
      inside[module] =
          (module != modules::root && inside[map_.tree()[module].parent]) || path_fits(terms[i], module);
      if (!inside[module]) continue;
      any[module] = true;
      raise(hits[i], runs_[module] ? Hit::nodes : Hit::without_nodes);
    }
  for (ModuleId module = 0; module < fits_.size(); ++module)
    if (!any[module]) fits_[module] = false;
}

bool FittingModules::fits(onnx::NodeId node) const {
  const resolve::Attribution& answer = map_.answer(node);
  if (answer.known() && fits_[answer.module]) return true;
  if (!selector_.shared() || answer.module_set == 0) return false;
  const std::vector<ModuleId> modules = map_.modules_of(node);
  return std::any_of(modules.begin(), modules.end(), [&](ModuleId module) { return fits_[module]; });
}

bool FittingOps::fits(const onnx::Node& node) {
  if (terms_.empty()) return true;
  const std::string_view op = node.op_type(), domain = node.domain();
  if (const auto found = known_.find(op.data());
      found != known_.end() && found->second.domain == domain.data())
    return found->second.fits;
  bool any = false;
  for (std::size_t i = 0; i < terms_.size(); ++i)
    if (terms_[i].glob.matches_word(op) && (!terms_[i].domain || terms_[i].domain->matches_word(domain))) {
      any = true;
      hits_[i] = Hit::nodes;
    }
  known_[op.data()] = {domain.data(), any};
  return any;
}

FittingParameters::FittingParameters(const semantics::Map& map, const Selector& selector)
    : map_(map), terms_(selector.terms(Kind::parameter)), hits_(terms_.size()) {
  if (terms_.empty()) return;
  const auto& initializers = map.model().initializers();
  wanted_.resize(initializers.size());
  read_.resize(initializers.size());
  for (std::size_t i = 0; i < initializers.size(); ++i)
    wanted_[i] = fits(map.hierarchy().parameters()[i].parameter,
                      initializers[i].value == onnx::none ? std::string_view()
                                                          : map.model().value_name(initializers[i].value),
                      Hit::without_nodes);
}

bool FittingParameters::fits(std::string_view parameter, std::string_view name, Hit hit) {
  bool any = false;
  for (std::size_t i = 0; i < terms_.size(); ++i)
    if ((!parameter.empty() && terms_[i].glob.matches(parameter)) ||
        (!name.empty() && terms_[i].glob.matches(name))) {
      any = true;
      raise(hits_[i], hit);
    }
  return any;
}

bool FittingParameters::fits(const onnx::Node& node) {
  if (terms_.empty()) return true;
  const onnx::Model& model = map_.model();
  bool any = false;
  for (const onnx::ValueId value : node.inputs()) {
    if (value == onnx::none) continue;
    const hierarchy::Hierarchy::Parameter behind = map_.hierarchy().parameter_behind(model, value);
    if (behind.initializer == onnx::none) continue;
    const std::string_view own = map_.hierarchy().parameters()[behind.initializer].parameter;
    if (behind.owner.parameter.data() != own.data()) {  // a copy with its own path
      any |= fits(behind.owner.parameter, {}, Hit::nodes);
    } else if (wanted_[behind.initializer]) {
      any = true;
      if (read_[behind.initializer]) continue;
      read_[behind.initializer] = true;
      fits(own, model.value_name(model.initializers()[behind.initializer].value), Hit::nodes);
    }
  }
  return any;
}

}  // namespace thence::query
