// Nodes as primitive operations.
#include <algorithm>
#include <limits>

#include "dataflow/graph_builder.h"
#include "dataflow/hash_mix.h"
#include "dataflow/primitive_ops.h"
#include "dataflow/slice_starts.h"

namespace thence::dataflow {
namespace {

// A hash of an attribute's numbers and text. Graphs and tensors are compared by other means.
std::uint64_t hash_of(const onnx::AttributeView& attribute) {
  std::uint64_t hash = stable_hash(attribute.name);
  hash = combine_hash(hash, static_cast<std::uint64_t>(attribute.i));
  hash = combine_hash(hash, static_cast<std::uint64_t>(attribute.f * 65536.0f));
  hash = combine_hash(hash, stable_hash(attribute.s));
  for (const std::int64_t each : attribute.ints) hash = combine_hash(hash, static_cast<std::uint64_t>(each));
  return hash;
}

// The result of an operation on constants: a scalar if all of them are, else a hash of the expression.
Constant computed_constant(const GraphBuilder& builder, const onnx::Node& node, const OperatorInfo& op) {
  Constant result;
  bool all_scalars = op.traits.has(Trait::elementwise), all_known = true;
  std::uint64_t fingerprint = stable_hash(op.name);
  for (const onnx::ValueId value : node.inputs()) {
    const Constant* const read = builder.constant(value);
    all_scalars &= read != nullptr && read->scalar && read->is_float;
    if (read == nullptr) continue;
    all_known &= read->fingerprint != 0;
    fingerprint = combine_hash(fingerprint, read->fingerprint);
    result.is_float |= read->is_float;
    result.elements = std::max(result.elements, read->elements);
  }
  if (all_known) result.fingerprint = fingerprint;
  if (!all_scalars) return result;
  result.is_float = true;
  result.elements = 1;
  result.scalar = std::numeric_limits<double>::quiet_NaN();  // not computed
  return result;
}

class OperationReader {
 public:
  OperationReader(GraphBuilder& builder, const onnx::Node& node)
      : builder_(builder),
        graph_(builder.graph()),
        node_(node),
        op_(graph_.op(node.id())),
        inputs_(node.inputs()),
        outputs_(node.outputs()),
        is_split_(op_.name == "Split"),
        is_constant_(graph_.has_constant_inputs(node.id())),
        slice_starts_(slice_starts(graph_, node)) {
    if (is_constant_) constant_ = computed_constant(builder, node, op_);
  }

  void run() {
    if (op_.is_primitive) {
      const std::uint32_t op = is_slicing_gather(graph_, node_) ? builder_.operators().id("Slice") : op_.id;
      read({.op = op_.name, .all = inputs_.size()}, op, op_.traits, true);
      return;
    }
    const std::vector<PrimitiveOp> parts = primitives_of(node_);
    if (parts.size() > 1) intermediate_output_ = intermediate_output(op_.name);
    for (const PrimitiveOp& part : parts)
      read(part, builder_.operators().id(part.op), traits_of(part.op), &part == &parts.back());
  }

 private:
  void read(const PrimitiveOp& part, std::uint32_t op, OperatorTraits traits, bool is_last) {
    Operation operation{.op = op, .node = node_.id(), .first_input = builder_.input_count()};
    operation.is_commutative = traits.has(Trait::commutative);
    if (is_last)
      node_.for_each_attribute(
          [&](const onnx::AttributeView& attribute) { operation.attribute_hash += hash_of(attribute); });
    if (inputs_.size() <= max_inputs)
      for (std::size_t i = 0; i < part.input_count(); ++i) read_input(part.input(i), operation);
    operation.input_count = builder_.input_count() - operation.first_input;
    if (is_last)
      add_outputs(operation);
    else
      add(operation, builder_.add_value());
  }

  void read_input(int index, Operation& operation) {
    if (index == PrimitiveOp::previous) return builder_.add_input(previous_);
    const onnx::ValueId value = inputs_[static_cast<std::size_t>(index)];
    if (value == none) return;
    const Constant* const constant = builder_.constant(value);
    if (constant != nullptr && !constant->is_float && !constant->may_be_weight()) {  // sizes, axes, indices
      operation.attribute_hash =
          combine_hash(operation.attribute_hash + static_cast<std::uint64_t>(index), constant->fingerprint);
      return;
    }
    if (op_.traits.has(Trait::reads_shape))
      operation.attribute_hash = combine_hash(operation.attribute_hash, graph_.view_hash(value));
    builder_.add_input(index == 0 ? skip_pad(graph_.canonical(value), operation) : graph_.canonical(value));
  }

  // Optimisers fold a Pad into a convolution or a pooling, which then reads the input of the Pad.
  CanonicalValue skip_pad(CanonicalValue value, Operation& operation) const {
    if (!op_.traits.has(Trait::pads) || graph_.producer(value) == none) return value;
    const Operation& producer = graph_.operation(graph_.producer(value));
    const auto inputs = graph_.inputs(producer);
    if (graph_.op(producer.node).name != "Pad" || inputs.empty() || !pads_with_constant(producer.node))
      return value;
    operation.padded_input = value;
    return inputs.front();
  }

  bool pads_with_constant(onnx::NodeId pad) const {
    const auto mode = graph_.model().node(pad).attribute("mode");
    return !mode || mode->s == "constant";
  }

  // Each output of the last operation is a separate operation; those of a Split are slices.
  void add_outputs(Operation operation) {
    const std::uint64_t detail = operation.attribute_hash;
    const CanonicalValue intermediate = previous_;
    const std::size_t max_outputs =
        std::min(max_inputs, max_operand_slots / std::max(operation.input_count, 1u));
    const std::size_t count = std::clamp<std::size_t>(outputs_.size(), 1, max_outputs);
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_in_file = i < outputs_.size();
      if (is_in_file && outputs_[i] == none) continue;
      if (static_cast<int>(i) == intermediate_output_) {
        builder_.set_canonical(outputs_[i], intermediate);
        continue;
      }
      operation.output_index = is_split_ ? 0 : static_cast<std::uint32_t>(i);
      if (is_split_) operation.attribute_hash = combine_hash(detail, i);
      operation.slice_start = i < slice_starts_.size() ? slice_starts_[i] : -1;
      add(operation, is_in_file ? outputs_[i] : builder_.add_value());
    }
  }

  void add(Operation& operation, CanonicalValue output) {
    operation.output = previous_ = output;
    if (is_constant_)
      builder_.add_constant(output,
                            constant_.salted(combine_hash(operation.output_index, operation.attribute_hash)));
    if (op_.traits.has(Trait::may_clamp)) builder_.mark_clamped(output);
    builder_.add_operation(operation);
  }

  GraphBuilder& builder_;
  const ValueGraph& graph_;
  const onnx::Node node_;
  const OperatorInfo& op_;
  const std::span<const onnx::ValueId> inputs_, outputs_;
  const bool is_split_, is_constant_;
  const std::vector<std::int64_t> slice_starts_;
  Constant constant_;               // the result, if all inputs are constants
  int intermediate_output_ = -1;    // the output that holds the result of an earlier operation
  CanonicalValue previous_ = none;  // the result of the operation before
};

}  // namespace

void read_operations(GraphBuilder& builder, const onnx::Node& node) { OperationReader(builder, node).run(); }

}  // namespace thence::dataflow
