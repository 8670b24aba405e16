// Views: the output is an input in another shape, type or scale.
#include <utility>

#include "dataflow/graph_builder.h"
#include "dataflow/hash_mix.h"

namespace thence::dataflow {
namespace {

// The operands of a product, quotient or sum; none for other operators.
std::pair<onnx::ValueId, onnx::ValueId> operands_of(const onnx::Node& node, const OperatorInfo& op) {
  const auto inputs = node.inputs();
  if (op.name == "QLinearMul" && inputs.size() > 3) return {inputs[0], inputs[3]};
  if (op.traits.has(Trait::scales) && inputs.size() == 2) return {inputs[0], inputs[1]};
  return {none, none};
}

// Whether an operand is a scalar: a float factor, which rewriters change freely, or an addend of 0.
bool is_scalar_operand(const GraphBuilder& builder, onnx::ValueId value, std::string_view op) {
  if (builder.is_computed_real_scalar(value)) return op != "Add";  // optimisers compute it
  const Constant* const number = builder.constant(value);
  if (number == nullptr || !number->scalar) return false;
  if (op == "Add") return number->is_float && *number->scalar == 0;
  if (number->is_float || op == "QLinearMul") return true;
  const onnx::Model& model = builder.graph().model();
  const onnx::Producer producer = model.producer(value);  // a quantised scalar
  return producer.kind == onnx::Producer::Kind::node &&
         model.node(producer.index).op_type() == "DequantizeLinear";
}

// The operand that a node multiplies or divides by a scalar, or adds 0 to; none for other nodes.
onnx::ValueId scaled_operand(GraphBuilder& builder, const onnx::Node& node, const OperatorInfo& op) {
  const auto [one, other] = operands_of(node, op);
  if (one == none || other == none) return none;
  for (const auto& [factor, rest] : {std::pair(other, one), std::pair(one, other)}) {
    if (builder.graph().is_quantisation_scale(factor)) {
      if (builder.constant(rest) == nullptr) return rest;
      builder.mark_quantisation_scale(node.outputs()[0]);  // a product of two scales
      return none;
    }
    if (is_scalar_operand(builder, factor, op.name) && !(op.name == "Div" && factor == one)) return rest;
  }
  return none;
}

// The traits of a node's operator, or those of Identity if the node forwards its only input.
OperatorTraits view_traits(const onnx::Node& node, const OperatorInfo& op) {
  const bool forwards_all = (op.traits.has(Trait::variadic) && node.inputs().size() == 1) ||
                            (op.name == "Split" && node.outputs().size() == 1);
  return forwards_all ? OperatorTraits(Trait::keeps_elements) : op.traits;
}

}  // namespace

bool fold_view(GraphBuilder& builder, const onnx::Node& node) {
  const ValueGraph& graph = builder.graph();
  const OperatorInfo& op = graph.op(node.id());
  const auto inputs = node.inputs(), outputs = node.outputs();
  if (inputs.empty() || outputs.empty() || inputs[0] == none || outputs[0] == none) return false;
  const OperatorTraits traits = view_traits(node, op);
  if (op.name == "DynamicQuantizeLinear" && outputs.size() > 1 && outputs[1] != none)
    builder.mark_quantisation_scale(outputs[1]);
  const onnx::ValueId viewed = is_view(traits) ? inputs[0] : scaled_operand(builder, node, op);
  if (viewed == none) return false;
  if (op.traits.has(Trait::may_clamp)) builder.mark_clamped(graph.canonical(viewed));
  const std::uint64_t hash = graph.view_hash(viewed);
  builder.add_view(outputs[0], viewed,
                   traits.has(Trait::reshapes) ? combine_hash(hash, stable_hash(op.name)) : hash);
  return true;
}

}  // namespace thence::dataflow
