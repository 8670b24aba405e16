// Shape computations: nodes that depend on constants and shapes only. Rewriters that know the shapes replace
// them by constants.
#include <algorithm>

#include "dataflow/graph_builder.h"
#include "dataflow/slice_starts.h"

namespace thence::dataflow {
namespace {

using Scalar = GraphBuilder::Scalar;

// Whether a Slice takes exactly one element.
bool takes_one_element(const ValueGraph& graph, const onnx::Node& slice) {
  const auto inputs = slice.inputs();
  const std::vector<std::int64_t> starts = slice_starts(graph, slice);
  const Constant* const end =
      inputs.size() > 2 && inputs[2] != none ? graph.constant(graph.canonical(inputs[2])) : nullptr;
  return starts.size() == 1 && end != nullptr && end->scalar &&
         *end->scalar == static_cast<double>(starts[0] + 1);
}

// Whether an elementwise operation or a view writes a scalar, and of which type.
Scalar elementwise_scalar(const GraphBuilder& builder, const onnx::Node& node, OperatorTraits traits) {
  const auto inputs = node.inputs();
  Scalar written = Scalar::integer;
  for (const onnx::ValueId value : is_view(traits) ? inputs.first(1) : inputs) {
    const Scalar read = builder.scalar(value);
    if (read == Scalar::no) return Scalar::no;
    if (read == Scalar::real) written = Scalar::real;
  }
  if (const auto to = node.op_type() == "Cast" ? node.attribute("to") : std::nullopt)
    written = onnx::is_float(static_cast<onnx::DataType>(to->i)) ? Scalar::real : Scalar::integer;
  return written;
}

// Whether a node that computes with shapes writes a scalar.
Scalar scalar_of(const GraphBuilder& builder, const onnx::Node& node) {
  const auto inputs = node.inputs();
  const OperatorInfo& op = builder.graph().op(node.id());
  if (op.name == "Size") return Scalar::integer;
  if (inputs.empty() || inputs.size() > max_inputs) return Scalar::no;
  if (op.name == "Gather") return inputs.size() == 2 ? builder.scalar(inputs[1]) : Scalar::no;
  if (op.name == "Slice") return takes_one_element(builder.graph(), node) ? Scalar::integer : Scalar::no;
  if (op.name == "Expand" || (!is_view(op.traits) && !op.traits.has(Trait::elementwise))) return Scalar::no;
  return elementwise_scalar(builder, node, op.traits);
}

bool is_shape_or_constant(const ValueGraph& graph, onnx::ValueId value) {
  if (value == none) return true;
  const onnx::Producer producer = graph.model().producer(value);
  return producer.kind == onnx::Producer::Kind::initializer ||
         (producer.kind == onnx::Producer::Kind::node && graph.is_shape_or_constant(producer.index));
}

}  // namespace

void classify_node(GraphBuilder& builder, const onnx::Node& node) {
  const ValueGraph& graph = builder.graph();
  const auto inputs = node.inputs(), outputs = node.outputs();
  const bool constant_inputs =
      !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
        return value == none || builder.constant(value) != nullptr;
      });
  if (constant_inputs) builder.set_constant_inputs(node.id());
  const bool computes_shapes =
      graph.has_trait(node.id(), Trait::reads_shape) || constant_inputs ||
      (!inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
        return is_shape_or_constant(graph, value);
      }));
  if (!computes_shapes) return;
  builder.set_shape_or_constant(node.id());
  if (!constant_inputs && outputs.size() == 1 && outputs[0] != none)
    builder.set_scalar(outputs[0], scalar_of(builder, node));
}

}  // namespace thence::dataflow
