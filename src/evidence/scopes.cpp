// onnx_scope_parsing and value_names: the scope in a node's name or, if that is gone, in the names of its
// outputs.
#include <algorithm>
#include <span>

#include "dataflow/operator_traits.h"
#include "evidence/source.h"
#include "evidence/thresholds.h"
#include "hierarchy/initializer_behind.h"
#include "onnx/views.h"

namespace thence::evidence {
namespace {

NameReading reading_of(hierarchy::ScopeMatchKind kind) {
  switch (kind) {
    case hierarchy::ScopeMatchKind::direct_child:
    case hierarchy::ScopeMatchKind::repeated_container: return NameReading::plain;
    case hierarchy::ScopeMatchKind::by_weights: return NameReading::by_weights;
    case hierarchy::ScopeMatchKind::by_outer_scope: return NameReading::by_outer_scope;
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

bool reads_weights(const onnx::Model& model, const onnx::Node& node) {
  return std::any_of(node.inputs().begin(), node.inputs().end(), [&](onnx::ValueId input) {
    const std::uint32_t found = hierarchy::initializer_behind(model, input);
    if (found == onnx::none) return false;
    return onnx::read_tensor(onnx::Pieces{model.initializers()[found].bytes}).elements() != 1;
  });
}

// In the scope of a torch.nn layer with a matrix, what does not compute with it, or prepare its operands: a
// view, a factor, a choice among the results. It belongs to the module around the layer.
bool is_around_layer(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, const onnx::Node& node,
                     ModuleId module) {
  const bool is_layer = module != modules::root &&
                        modules::is_torch_nn(hierarchy.tree()[module].class_name) &&
                        hierarchy.weight_owners().owns_matrix(module);
  const bool prepares_operand = node.op_type() == "Cast" || node.op_type() == "Pad" ||
                                dataflow::has_trait(node, dataflow::Trait::quantiser);
  return is_layer && !prepares_operand && !reads_weights(model, node);
}

// SiLU is written as two nodes: x * sigmoid(x).
bool gates_itself(const onnx::Model& model, const onnx::Node& node) {
  const auto inputs = node.inputs();
  if (node.op_type() != "Mul" || inputs.size() != 2) return false;
  const auto is_sigmoid_of = [&](onnx::ValueId gate, onnx::ValueId value) {
    if (gate == onnx::none || value == onnx::none) return false;
    const onnx::Producer producer = model.producer(gate);
    if (producer.kind != onnx::Producer::Kind::node) return false;
    const onnx::Node sigmoid = model.node(producer.index);
    return sigmoid.op_type() == "Sigmoid" && !sigmoid.inputs().empty() && sigmoid.inputs()[0] == value;
  };
  return is_sigmoid_of(inputs[0], inputs[1]) || is_sigmoid_of(inputs[1], inputs[0]);
}

// A sigmoid alone may be a gate, and a softmax belongs to an attention or a router.
bool is_activation(const onnx::Model& model, const onnx::Node& node) {
  const bool has_other_use = node.op_type() == "Sigmoid" || node.op_type() == "Softmax";
  return (dataflow::is_activation(node.op_type()) && !has_other_use) || gates_itself(model, node);
}

// The module of a node in another tool's scope of a module. Tools put what surrounds a layer into its scope,
// and give activation functions none.
ModuleId module_in_scope(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy,
                         const onnx::Node& node, ModuleId module) {
  if (!hierarchy.weight_owners().has_any() || module == modules::no_module) return module;
  const modules::ModuleTree& tree = hierarchy.tree();
  if (is_around_layer(model, hierarchy, node, module)) module = tree.nearest_runnable(tree[module].parent);
  if (!is_activation(model, node)) return module;
  const ModuleId inside = hierarchy.weight_owners().activation_in(tree, module);
  const bool is_known =
      inside != modules::no_module && hierarchy::is_activation_class(tree[inside].class_name);
  return is_known ? inside : module;
}

void push_scope(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, NodeId node,
                hierarchy::ScopeId id, Source source, Sink& sink) {
  if (id == hierarchy::no_scope) return;
  const hierarchy::Scope& scope = hierarchy.scopes()[id];
  const ModuleId own = scope.matches.empty() ? modules::no_module : scope.matches.front().module;
  if (const ModuleId module = module_in_scope(model, hierarchy, model.node(node), own); module != own) {
    sink.push({.node = node,
               .module = module,
               .source = source,
               .strength = {.reading = NameReading::by_outer_scope},
               .why = scope.text});
    return;
  }
  const std::size_t most = sink.of(source).size() < many_evidence ? max_rivals : max_rivals_if_many;
  const bool is_inferred = is_inside_inferred(hierarchy.scopes(), scope.outer);
  for (const hierarchy::ScopeMatch& match :
       std::span(scope.matches).first(std::min(scope.matches.size(), most))) {
    const bool is_scope =
        hierarchy.tree()[match.module].is_scope && match.kind != hierarchy::ScopeMatchKind::other_framework;
    const NameReading reading = is_scope ? NameReading::scope : reading_of(match.kind);
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
      push_scope(model, hierarchy, id, hierarchy.scopes().scope_in_name(id), Source::onnx_scope_parsing,
                 sink);
}

void collect_value_names(const onnx::Model& model, const hierarchy::Hierarchy& hierarchy, Sink& sink) {
  for (NodeId id = 0; id < model.node_count(); ++id)
    push_scope(model, hierarchy, id, hierarchy.scopes().scope_in_outputs(id), Source::value_names, sink);
}

}  // namespace thence::evidence
