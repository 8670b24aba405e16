#include "dataflow/graph_builder.h"

#include "shapes/topological_order.h"

namespace thence::dataflow {

GraphBuilder::GraphBuilder(ValueGraph& graph, OperatorIds& operators, WeightMatcher* reference,
                           const SampledFingerprint* samples)
    : graph_(graph),
      operators_(operators),
      reference_(reference),
      samples_(samples),
      scalars_(graph.model().value_count(), Scalar::no) {}

void GraphBuilder::run() {
  read_initializers();
  shapes::TopologicalOrder order(graph_.model());
  graph_.order_.reserve(graph_.model().node_count());
  for (const onnx::Graph& graph : graph_.model().graphs())
    order.each(graph, [&](onnx::NodeId id) { graph_.order_.push_back(id); });
  for (const onnx::NodeId id : graph_.order_) read_node(id);
}

void GraphBuilder::read_initializers() {
  ByRange<Constant> external;
  for (const onnx::Initializer& initializer : graph_.model().initializers())
    if (initializer.value != none)
      add_constant(initializer.value, initializer.sparse ? Constant()
                                                         : constant_of(onnx::Pieces{initializer.bytes},
                                                                       &graph_.files_, samples_, &external));
}

void GraphBuilder::read_node(onnx::NodeId id) {
  const onnx::Node node = graph_.model().node(id);
  if (read_constant(node)) return;
  classify_node(*this, node);
  if (reference_ != nullptr) {
    unpack_weight(*this, node);
    unblock_weight(*this, node);
  }
  if (fold_view(*this, node)) {
    graph_.nodes_[id].view = true;
    return;
  }
  if (!split_merged_projection(*this, node)) read_operations(*this, node);
}

bool GraphBuilder::read_constant(const onnx::Node& node) {
  const auto outputs = node.outputs();
  if (graph_.op(node.id()).name != "Constant" || outputs.empty() || outputs[0] == none) return false;
  Constant constant;
  node.for_each_attribute([&](const onnx::AttributeView& attribute) {
    if (attribute.has_tensor)
      constant = constant_of(attribute.tensor, nullptr, samples_);
    else if (attribute.name == "value_int")
      constant = constant_of(std::vector{attribute.i});
    else if (attribute.name == "value_float")
      constant = constant_of(std::vector{attribute.f});
    else if (attribute.name == "value_ints")
      constant = constant_of(attribute.ints);
    else if (attribute.name == "value_floats")
      constant = constant_of(attribute.floats);
    else
      constant = Constant();
  });
  set_constant_inputs(node.id());
  set_shape_or_constant(node.id());
  add_constant(outputs[0], constant);
  return true;
}

GraphBuilder::Scalar GraphBuilder::scalar(onnx::ValueId value) const {
  if (value == none) return Scalar::no;
  const Constant* const number = constant(value);
  if (number == nullptr) return scalars_[value];
  return !number->scalar ? Scalar::no : number->is_float ? Scalar::real : Scalar::integer;
}

void GraphBuilder::add_view(onnx::ValueId view, onnx::ValueId input, std::uint64_t view_hash) {
  graph_.canonical_[view] = graph_.canonical_[input];
  graph_.scales_[view] = graph_.scales_[input];
  graph_.view_hashes_[view] = view_hash;
}

CanonicalValue GraphBuilder::add_value() {
  graph_.producers_.push_back(none);
  graph_.constant_of_.push_back(none);
  return static_cast<CanonicalValue>(graph_.producers_.size() - 1);
}

void GraphBuilder::add_constant(CanonicalValue value, Constant constant) {
  if (reference_ != nullptr && constant.may_be_weight() && !reference_->contains(constant.fingerprint))
    if (const WeightMatch match = reference_->find(constant); match.fingerprint != 0)
      set_match(constant, match);
  graph_.constant_of_[value] = static_cast<std::uint32_t>(graph_.constants_.size());
  graph_.constants_.push_back(constant);
}

void GraphBuilder::set_unpacked(CanonicalValue constant, const WeightMatch& match) {
  set_match(graph_.constants_[graph_.constant_of_[constant]], match);
}

void GraphBuilder::set_match(Constant& constant, const WeightMatch& match) {
  constant.fingerprint = match.fingerprint;
  constant.factor = match.factor;
  constant.is_rescaled = match.is_rescaled;
  constant.is_changed = true;
  graph_.has_rescaled_weights_ |= match.is_rescaled;
}

void GraphBuilder::add_operation(const Operation& operation) {
  graph_.producers_[operation.output] = static_cast<OperationId>(graph_.operations_.size());
  graph_.operations_.push_back(operation);
}

}  // namespace thence::dataflow
