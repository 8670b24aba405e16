#include "reference/stored_weights.h"

#include <algorithm>

#include "reference/thresholds.h"

namespace thence::reference {

using dataflow::Constant;

StoredWeights::StoredWeights(const onnx::Model& model)
    : model_(model),
      files_(model),
      constants_(model.initializers().size()),
      is_read_(model.initializers().size(), false) {
  for (onnx::NodeId id = 0; id < model.node_count(); ++id) read_packed(model.node(id));
  for (std::uint32_t i = 0; i < constants_.size(); ++i)
    if (!is_read_[i]) read_plain(i);
  std::sort(weights_.begin(), weights_.end(),
            [](const StoredWeight& a, const StoredWeight& b) { return a.initializer < b.initializer; });
}

const Constant& StoredWeights::constant(std::uint32_t initializer) {
  if (constants_[initializer] == nullptr) {
    const onnx::Initializer& stored = model_.initializers()[initializer];
    constants_[initializer] = std::make_unique<Constant>(
        stored.sparse ? Constant() : dataflow::unread_constant_of(onnx::Pieces{stored.bytes}, &files_));
  }
  return *constants_[initializer];
}

void StoredWeights::read_packed(const onnx::Node& node) {
  const auto inputs = node.inputs();
  const auto initializer_at = [&](std::size_t input) {
    if (input >= inputs.size() || inputs[input] == onnx::none) return onnx::none;
    const onnx::Producer producer = model_.producer(inputs[input]);
    return producer.kind == onnx::Producer::Kind::initializer ? producer.index : onnx::none;
  };
  for (const dataflow::PackedInput& input : dataflow::packed_inputs(node.op_type())) {
    const std::uint32_t weight = initializer_at(input.weight);
    if (weight == onnx::none) continue;
    for (const std::size_t other : {input.scales, input.zero_points})
      if (const std::uint32_t beside = initializer_at(other); beside != onnx::none) is_read_[beside] = true;
    if (is_read_[weight]) continue;
    dataflow::WeightElements elements =
        dataflow::unpacked_elements(node, input, [&](std::size_t at) -> const Constant* {
          const std::uint32_t found = initializer_at(at);
          return found == onnx::none ? nullptr : &constant(found);
        });
    if (elements.count() == 0) continue;
    is_read_[weight] = true;
    weights_.push_back({weight, std::move(elements)});
  }
}

void StoredWeights::read_plain(std::uint32_t initializer) {
  const Constant& stored = constant(initializer);
  const bool is_weight = stored.is_float || onnx::bits_per_element(stored.type) <= 8;
  if (stored.elements < min_elements || !is_weight || !stored.is_readable()) return;
  const bool is_vector = stored.rows == 1;
  const std::uint64_t rows = is_vector ? stored.elements : stored.rows;
  weights_.push_back(
      {initializer, {rows, stored.elements / rows, [&stored](std::uint64_t row, std::uint64_t column) {
                       return stored.element(stored.rows == 1 ? row : row * stored.columns() + column);
                     }}});
}

}  // namespace thence::reference
