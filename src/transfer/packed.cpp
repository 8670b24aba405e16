// Weights that were quantised in blocks with a scale each, and packed: several elements into a byte.
#include <functional>

#include "transfer/net.h"

namespace thence::transfer {
namespace {

constexpr int zero = 8;  // of four bits, usually; with another one most of what goes together is left

std::uint64_t number(const onnx::Node& node, std::string_view name) {
  constexpr std::int64_t most = 1 << 20;  // what is multiplied below stays in 64 bits
  const auto held = node.attribute(name);
  return held && held->i > 0 && held->i <= most ? static_cast<std::uint64_t>(held->i) : 0;
}

double scale(const Constant* scales, std::uint64_t block) {
  return scales != nullptr && scales->is_readable() && block < scales->elements ? scales->element(block) : 1;
}

struct Elements {
  std::uint64_t count = 0;  // 0: not such a weight
  std::function<double(std::uint64_t)> at;
};

// MatMulNBits has its weight column by column, each in blocks of its own.
Elements columns_in_blocks(const onnx::Node& node, const Constant& packed, const Constant* scales) {
  const std::uint64_t rows = number(node, "K"), columns = number(node, "N");
  const std::uint64_t block = number(node, "block_size");
  if (number(node, "bits") != 4 || rows == 0 || block < 2 || packed.type != onnx::DataType::uint8) return {};
  const std::uint64_t blocks = (rows + block - 1) / block, bytes = block / 2;
  if (packed.data.size() != columns * blocks * bytes) return {};
  return {rows * columns, [=, data = packed.data](std::uint64_t index) {
            const std::uint64_t row = index % rows, at = index / rows * blocks + row / block;
            const int byte = static_cast<unsigned char>(data[at * bytes + row % block / 2]);
            return ((byte >> (row % block % 2 * 4) & 15) - zero) * scale(scales, at);
          }};
}

// DequantizeLinear has it as it was, with blocks along one of its axes.
Elements rows_in_blocks(const onnx::Node& node, const Constant& weight, const Constant* scales) {
  const std::uint64_t block = number(node, "block_size"), columns = weight.columns();
  const auto axis = node.attribute("axis");
  if (block == 0 || !weight.is_readable() || columns == 0 || weight.is_float) return {};
  const bool down = axis && axis->i == 0;
  const std::uint64_t across = down ? columns : (columns + block - 1) / block;
  const int middle = weight.type == onnx::DataType::uint4 ? zero : 0;
  return {weight.elements, [=](std::uint64_t index) {
            const std::uint64_t row = index / columns, column = index % columns;
            const std::uint64_t at = down ? row / block * across + column : row * across + column / block;
            return (weight.element(index) - middle) * scale(scales, at);
          }};
}

}  // namespace

// A weight that was packed is seen as what it was, if the ancestor has it.
void Net::unpack(const onnx::Node& node) {
  const std::string_view op = node.op_type();
  const bool product = op == "MatMulNBits";
  if (!product && op != "DequantizeLinear") return;
  const auto inputs = node.inputs();
  const std::size_t place = product ? 1 : 0;
  if (inputs.size() < place + 2 || inputs[place] == none || inputs[place + 1] == none) return;
  const Root root = roots_[inputs[place]];
  const Constant *const packed = constant(root), *const scales = constant(roots_[inputs[place + 1]]);
  if (packed == nullptr || packed->changed || !unpacked_.insert(root).second) return;
  const Elements elements = (product ? columns_in_blocks : rows_in_blocks)(node, *packed, scales);
  const Likeness::Found found =
      elements.count == 0 ? Likeness::Found() : ancestor_->of(elements.count, elements.at);
  if (found.content == 0) return;
  Constant& weight = constants_[constant_of_[root]];
  weight.content = found.content;
  weight.changed = true;
}

}  // namespace thence::transfer
