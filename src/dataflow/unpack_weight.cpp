// Weights that were quantised in blocks with a scale each, and packed several elements to a byte.
#include "dataflow/graph_builder.h"
#include "dataflow/weight_elements.h"

namespace thence::dataflow {

void unpack_weight(GraphBuilder& builder, const onnx::Node& node) {
  const ValueGraph& graph = builder.graph();
  const auto inputs = node.inputs();
  const auto has = [&](std::size_t input) { return input < inputs.size() && inputs[input] != none; };
  for (const PackedInput& input : packed_inputs(graph.op(node.id()).name)) {
    if (!has(input.weight) || !has(input.scales)) continue;
    const CanonicalValue value = graph.canonical(inputs[input.weight]);
    const Constant* const packed = graph.constant(value);
    if (packed == nullptr || packed->is_changed || !builder.start_unpacking(value)) continue;
    const WeightElements weight = unpacked_elements(
        node, input, [&](std::size_t at) { return has(at) ? builder.constant(inputs[at]) : nullptr; });
    if (weight.count() == 0) continue;
    const WeightMatch match = builder.reference()->find(weight.count(), [&](std::uint64_t index) {
      return weight.at(index / weight.columns, index % weight.columns);
    });
    if (match.fingerprint != 0) builder.set_unpacked(value, match);
  }
}

}  // namespace thence::dataflow
