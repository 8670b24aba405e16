// onnx_scope_parsing and value_names: the scope in a node's name or, if that is gone, in the names of its
// outputs.
#include <algorithm>
#include <span>

#include "evidence/source.h"
#include "evidence/thresholds.h"

namespace thence::evidence {
namespace {

NameReading reading_of(hierarchy::ScopeMatchKind kind) {
  switch (kind) {
    case hierarchy::ScopeMatchKind::direct_child:
    case hierarchy::ScopeMatchKind::repeated_container: return NameReading::plain;
    case hierarchy::ScopeMatchKind::uncorroborated: return NameReading::uncorroborated;
    case hierarchy::ScopeMatchKind::uncorroborated_call:
    case hierarchy::ScopeMatchKind::skipped_level:
    case hierarchy::ScopeMatchKind::foreign_caller:
    case hierarchy::ScopeMatchKind::by_connections: return NameReading::inferred_call;
    case hierarchy::ScopeMatchKind::other_caller: return NameReading::other_caller;
    case hierarchy::ScopeMatchKind::other_framework: return NameReading::foreign;
  }
  return NameReading::uncorroborated;
}

// A module inside one that was inferred is inferred, too.
bool is_inside_inferred(const hierarchy::ScopeIndex& scopes, hierarchy::ScopeId outer) {
  for (; outer != hierarchy::no_scope; outer = scopes[outer].outer)
    if (const auto& matches = scopes[outer].matches;
        !matches.empty() && reading_of(matches.front().kind) == NameReading::inferred_call)
      return true;
  return false;
}

void push_scope(const hierarchy::Hierarchy& hierarchy, NodeId node, hierarchy::ScopeId id, Source source,
                Sink& sink) {
  if (id == hierarchy::no_scope) return;
  const hierarchy::Scope& scope = hierarchy.scopes()[id];
  const std::size_t most = sink.of(source).size() < many_evidence ? max_rivals : max_rivals_if_many;
  const bool is_inferred = is_inside_inferred(hierarchy.scopes(), scope.outer);
  for (const hierarchy::ScopeMatch& match :
       std::span(scope.matches).first(std::min(scope.matches.size(), most))) {
    const NameReading reading = reading_of(match.kind);
    sink.push(
        {.node = node,
         .module = match.module,
         .call = match.call,
         .source = source,
         .strength = {.reading =
                          is_inferred && reading == NameReading::plain ? NameReading::inferred_call : reading,
                      .has_rivals = scope.matches.size() > 1},
         .why = scope.text});
  }
}

// Compiled code whose inner modules have no scopes.
bool push_module_inside(const hierarchy::Hierarchy& hierarchy, NodeId node, Sink& sink) {
  const hierarchy::ScopeIndex& scopes = hierarchy.scopes();
  if (!scopes.is_outer(node)) return false;
  const hierarchy::Scope& scope = scopes[scopes.scope_in_name(node)];
  const ModuleId inside = scopes.module_inside(node);
  const bool is_known = inside != modules::no_module;
  sink.push({.node = node,
             .module = is_known ? inside : scope.matches.front().module,
             .call = is_known ? std::nullopt : scope.matches.front().call,
             .source = Source::onnx_scope_parsing,
             .strength = {.reading = is_known ? NameReading::same_code : NameReading::outer_module},
             .why = scope.text});
  return true;
}

}  // namespace

void collect_scopes(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  for (NodeId id = 0; id < model.node_count(); ++id)
    if (!push_module_inside(hierarchy, id, sink))
      push_scope(hierarchy, id, hierarchy.scopes().scope_in_name(id), Source::onnx_scope_parsing, sink);
}

void collect_value_names(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  for (NodeId id = 0; id < model.node_count(); ++id)
    push_scope(hierarchy, id, hierarchy.scopes().scope_in_outputs(id), Source::value_names, sink);
}

}  // namespace thence::evidence
