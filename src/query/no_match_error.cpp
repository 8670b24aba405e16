// Error messages for selectors without matches, with the nearest existing names.

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "query/limits.h"
#include "query/selector.h"
#include "weights/trace.h"

namespace thence::query {
namespace {

using modules::ModuleId;
using semantics::Map;

Error no_match(std::string text, std::string hint) {
  return {ErrorKind::usage, std::string(no_match_code), std::move(text), std::move(hint)};
}

// Calls `use` for each name of this kind in the model.
template <class Use>
void for_each_name(const Map& map, const Term& term, Use use) {
  // #lizard forgives: one list with a case for each kind of selector.
  const modules::ModuleTree& tree = map.tree();
  std::set<std::string_view> listed_names;
  const auto once = [&](std::string_view name) {
    if (!name.empty() && listed_names.insert(name).second) use(name);
  };
  switch (term.kind) {
    case SelectorKind::module:
    case SelectorKind::under:
      for (ModuleId module = 1; module < tree.size(); ++module) use(tree[module].path);
      return;
    case SelectorKind::class_name: {
      const bool bare = term.text.find('.') == std::string::npos;
      for (ModuleId module = 0; module < tree.size(); ++module)
        once(bare ? modules::short_class(tree[module].class_name) : tree[module].class_name);
      return;
    }
    case SelectorKind::role:
      for (ModuleId module = 0; module < tree.size(); ++module) {
        const semantics::Role role = map.role(module);
        once(role.type);
        once(role.classification);
        once(role.operation);
      }
      return;
    case SelectorKind::component:
      for (ModuleId module = 0; module < tree.size(); ++module) {
        const semantics::Role role = map.role(module);
        once(role.component);
        role.each_component(once);
      }
      return;
    case SelectorKind::op:
      for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) once(map.model().node(id).op_type());
      return;
    case SelectorKind::parameter:
      for (const weights::Weight& weight : weights::trace_weights(map))
        if (weight.holds_parameters())
          for (const std::string& each : weight.parameters) use(each);
      return;
    case SelectorKind::source:
      for (onnx::NodeId id = 0; id < map.model().node_count(); ++id)
        if (map.answer(id).known()) once(evidence::name_of(map.answer(id).source));
      return;
    case SelectorKind::layer: return;
  }
}

std::string layers_of(const Map& map) {
  std::uint64_t most = 0;
  bool any = false;
  for (ModuleId module = 0; module < map.tree().size(); ++module)
    if (const auto layers = map.layers(module); !layers.empty()) {
      most = std::max(most, layers.front().index);
      any = true;
    }
  return any ? base::format("layers are numbered from 0 to {}", most) : "the model has no repeated blocks";
}

std::string hint(const Map& map, const Term& term) {
  if (term.kind == SelectorKind::layer) return layers_of(map);
  if (term.kind == SelectorKind::class_name && !map.tree().has_classes())
    return "the file has no classes: give a capture with --capture";
  base::NameHint names(term.kind == SelectorKind::op ? term.glob.text() : term.text);
  for_each_name(map, term, [&](std::string_view name) { names.add(name); });
  if (!names.has_names()) return base::format("the model has no {} at all", noun_of(term.kind));
  if (std::string near = names.text(); !near.empty()) return near;
  if (term.kind == SelectorKind::op) return "thence map lists the operators";
  if (term.kind == SelectorKind::parameter) return "'thence weights' lists the parameters";
  return "'thence show' lists the modules; * matches one part of a path, ** any number";
}

}  // namespace

std::string_view noun_of(SelectorKind kind) {
  static constexpr std::array<std::string_view, selector_kind_count> nouns = {
      "module", "module", "class", "role", "component", "layer", "operator", "parameter", "source"};
  return nouns[static_cast<std::size_t>(kind)];
}

Error no_match_error(const Map& map, const Term& term, Hit hit) {
  const std::string shown = base::printable(term.text.substr(0, max_shown_bytes));
  if (hit == Hit::nothing)
    return no_match(base::format("no {} matches {} '{}'", noun_of(term.kind), flag_of(term.kind), shown),
                    hint(map, term));
  if (term.kind == SelectorKind::module)
    return no_match(base::format("module '{}' ran no node itself", shown),
                    base::format("--under '{}' selects the nodes of the modules inside it, too", shown));
  if (term.kind == SelectorKind::parameter)
    return no_match(base::format("no node reads parameter '{}'", shown), "'thence map' lists the nodes");
  return no_match(base::format("no node is known to be of module '{}' or of one inside it", shown),
                  "a capture may add evidence: give it with --capture");
}

Error no_common_match_error(const Selector& selector) {
  std::vector<std::string> given;
  for (std::size_t kind = 0; kind < selector_kind_count; ++kind)
    if (const auto& terms = selector.terms(static_cast<SelectorKind>(kind)); !terms.empty())
      given.push_back(std::string(flag_of(terms.front().kind)));
  if (selector.unknown()) given.push_back("--unknown");
  if (selector.has_expression()) given.push_back("--where");
  if (selector.min_confidence() > 0) given.push_back("--min-confidence");
  return no_match(
      base::format("no node matches {}{}", base::joined(given, " and "), given.size() > 1 ? " together" : ""),
      given.size() > 1 ? "remove one of them, or widen it" : "widen it");
}

}  // namespace thence::query
