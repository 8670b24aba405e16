// Optimisers merge projections of the same value into one MatMul and split its result. Each output is one of
// the projections if its columns of the weight are a weight of the reference model.
#include <algorithm>
#include <optional>

#include "dataflow/graph_builder.h"
#include "dataflow/slice_starts.h"

namespace thence::dataflow {
namespace {

struct Projection {
  CanonicalValue input, weight, bias;  // `bias` may be none
};

bool is_split_into_several(const ValueGraph& graph, const onnx::Node& node) {
  const auto outputs = node.outputs();
  return graph.op(node.id()).name == "Split" && outputs.size() >= 2 && outputs.size() <= max_merged &&
         !node.inputs().empty() && node.inputs()[0] != none &&
         std::find(outputs.begin(), outputs.end(), none) == outputs.end();
}

// The inputs of the operation that writes a value, if that is a binary `op`.
std::span<const CanonicalValue> binary_operands(const ValueGraph& graph, CanonicalValue value,
                                                std::uint32_t op) {
  const OperationId producer = graph.producer(value);
  if (producer == none || graph.operation(producer).op != op || graph.operation(producer).input_count != 2)
    return {};
  return graph.inputs(graph.operation(producer));
}

// The projection, with or without a bias, that writes a value.
std::optional<Projection> projection_of(GraphBuilder& builder, CanonicalValue value) {
  const ValueGraph& graph = builder.graph();
  CanonicalValue product = value, bias = none;
  for (const CanonicalValue operand : binary_operands(graph, value, builder.operators().id("Add")))
    (graph.constant(operand) != nullptr ? bias : product) = operand;
  const auto operands = binary_operands(graph, product, builder.operators().id("MatMul"));
  if (operands.empty()) return std::nullopt;
  return Projection{operands[0], operands[1], bias};
}

// The number of columns of each output; empty if it is not known.
std::vector<std::uint64_t> column_counts(const onnx::Model& model, const onnx::Node& split,
                                         std::uint64_t columns) {
  const std::size_t count = split.outputs().size();
  std::vector<std::int64_t> sizes = split_sizes(model, split);
  const bool states_sizes =
      split.attribute("split") || (split.inputs().size() > 1 && split.inputs()[1] != none);
  if (!states_sizes && columns % count == 0) sizes.assign(count, static_cast<std::int64_t>(columns / count));
  std::vector<std::uint64_t> counts;
  std::uint64_t left = columns;
  for (const std::int64_t size : sizes) {
    if (size <= 0 || static_cast<std::uint64_t>(size) > left) return {};
    counts.push_back(static_cast<std::uint64_t>(size));
    left -= counts.back();
  }
  return counts.size() == count && left == 0 ? counts : std::vector<std::uint64_t>();
}

// Some columns of a constant as a separate constant; none if the reference model has no such weight.
CanonicalValue add_columns(GraphBuilder& builder, CanonicalValue whole, std::uint64_t first,
                           std::uint64_t count) {
  const Constant* const weight = builder.graph().constant(whole);
  if (weight == nullptr || !weight->may_be_weight()) return none;
  Constant columns = columns_of(*weight, first, count);
  if (columns.fingerprint == 0 || !builder.reference()->contains(columns.fingerprint))
    columns.fingerprint = builder.reference()->find(columns).fingerprint;
  if (columns.fingerprint == 0) return none;
  const CanonicalValue value = builder.add_value();
  builder.add_constant(value, columns);
  return value;
}

void add_binary(GraphBuilder& builder, Operation operation, CanonicalValue one, CanonicalValue other) {
  operation.first_input = builder.input_count();
  operation.input_count = 2;
  builder.add_input(one);
  builder.add_input(other);
  builder.add_operation(operation);
}

void add_projection(GraphBuilder& builder, onnx::NodeId node, const Projection& projection,
                    CanonicalValue output) {
  const bool has_bias = projection.bias != none;
  const CanonicalValue product = has_bias ? builder.add_value() : output;
  add_binary(builder, {.op = builder.operators().id("MatMul"), .node = node, .output = product},
             projection.input, projection.weight);
  if (has_bias)
    add_binary(builder,
               {.op = builder.operators().id("Add"), .node = node, .output = output, .is_commutative = true},
               product, projection.bias);
}

}  // namespace

bool split_merged_projection(GraphBuilder& builder, const onnx::Node& node) {
  const ValueGraph& graph = builder.graph();
  if (builder.reference() == nullptr || !is_split_into_several(graph, node)) return false;
  const auto merged = projection_of(builder, graph.canonical(node.inputs()[0]));
  const Constant* const whole = merged ? graph.constant(merged->weight) : nullptr;
  if (whole == nullptr || builder.reference()->contains(whole->fingerprint)) return false;
  std::vector<Projection> parts;
  std::uint64_t first = 0;
  for (const std::uint64_t count : column_counts(graph.model(), node, whole->columns())) {
    Projection part{merged->input, add_columns(builder, merged->weight, first, count), none};
    if (merged->bias != none) part.bias = add_columns(builder, merged->bias, first, count);
    if (part.weight == none || (merged->bias != none && part.bias == none)) return false;
    parts.push_back(part);
    first += count;
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    add_projection(builder, node.id(), parts[i], node.outputs()[i]);
  return !parts.empty();
}

}  // namespace thence::dataflow
