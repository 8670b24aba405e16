// Weights that were quantised in blocks with a scale each, and packed several elements to a byte.
#include <functional>

#include "dataflow/graph_builder.h"

namespace thence::dataflow {
namespace {

// The usual zero point of four bits. With another one the elements still correlate.
constexpr int middle_of_four_bits = 8;

std::uint64_t positive_attribute(const onnx::Node& node, std::string_view name) {
  constexpr std::int64_t largest = 1 << 20;  // products below stay within 64 bits
  const auto attribute = node.attribute(name);
  return attribute && attribute->i > 0 && attribute->i <= largest ? static_cast<std::uint64_t>(attribute->i)
                                                                  : 0;
}

double scale_of(const Constant* scales, std::uint64_t block) {
  return scales != nullptr && scales->is_readable() && block < scales->elements ? scales->element(block) : 1;
}

struct Elements {
  std::uint64_t count = 0;  // 0 if the node does not read such a weight
  std::function<double(std::uint64_t)> at;
};

// MatMulNBits stores its weight by columns, each divided into blocks.
Elements elements_of_columns(const onnx::Node& node, const Constant& packed, const Constant* scales) {
  const std::uint64_t rows = positive_attribute(node, "K"), columns = positive_attribute(node, "N");
  const std::uint64_t block = positive_attribute(node, "block_size");
  if (positive_attribute(node, "bits") != 4 || rows == 0 || block < 2 || packed.type != onnx::DataType::uint8)
    return {};
  const std::uint64_t blocks = (rows + block - 1) / block, bytes = block / 2;
  if (packed.data.size() != columns * blocks * bytes) return {};
  return {rows * columns, [=, data = packed.data](std::uint64_t index) {
            const std::uint64_t row = index % rows, at = index / rows * blocks + row / block;
            const int byte = static_cast<unsigned char>(data[at * bytes + row % block / 2]);
            return ((byte >> (row % block % 2 * 4) & 15) - middle_of_four_bits) * scale_of(scales, at);
          }};
}

// DequantizeLinear reads the weight in its original layout, with blocks along one of its axes.
Elements elements_of_rows(const onnx::Node& node, const Constant& weight, const Constant* scales) {
  const std::uint64_t block = positive_attribute(node, "block_size"), columns = weight.columns();
  const auto axis = node.attribute("axis");
  if (block == 0 || !weight.is_readable() || columns == 0 || weight.is_float) return {};
  const bool blocks_along_rows = axis && axis->i == 0;
  const std::uint64_t scales_per_row = blocks_along_rows ? columns : (columns + block - 1) / block;
  const int zero_point = weight.type == onnx::DataType::uint4 ? middle_of_four_bits : 0;
  return {weight.elements, [=](std::uint64_t index) {
            const std::uint64_t row = index / columns, column = index % columns;
            const std::uint64_t at = blocks_along_rows ? row / block * scales_per_row + column
                                                       : row * scales_per_row + column / block;
            return (weight.element(index) - zero_point) * scale_of(scales, at);
          }};
}

}  // namespace

void unpack_weight(GraphBuilder& builder, const onnx::Node& node) {
  const ValueGraph& graph = builder.graph();
  const std::string_view op = graph.op(node.id()).name;
  const bool is_product = op == "MatMulNBits";
  if (!is_product && op != "DequantizeLinear") return;
  const auto inputs = node.inputs();
  const std::size_t at = is_product ? 1 : 0;
  if (inputs.size() < at + 2 || inputs[at] == none || inputs[at + 1] == none) return;
  const CanonicalValue value = graph.canonical(inputs[at]);
  const Constant *const packed = graph.constant(value), *const scales = builder.constant(inputs[at + 1]);
  if (packed == nullptr || packed->is_changed || !builder.start_unpacking(value)) return;
  const Elements elements = (is_product ? elements_of_columns : elements_of_rows)(node, *packed, scales);
  if (elements.count == 0) return;
  const WeightMatch match = builder.reference()->find(elements.count, elements.at);
  if (match.fingerprint != 0) builder.set_unpacked(value, match);
}

}  // namespace thence::dataflow
