#include "dataflow/weight_elements.h"

#include <array>

namespace thence::dataflow {
namespace {

using onnx::DataType;

struct PackedOperator {
  std::string_view op;
  PackedInput input;
};
// As ONNX and ONNX Runtime document their operators.
constexpr std::array packed_operators = {
    PackedOperator{"MatMulNBits", {1, 2, 3}},
    PackedOperator{"GatherBlockQuantized", {0, 2, 3}},
    PackedOperator{"DequantizeLinear", {0, 1, 2}},
    PackedOperator{"QMoE", {2, 3, 11}},
    PackedOperator{"QMoE", {5, 6, 12}},
    PackedOperator{"QMoE", {8, 9, 13}},
};

std::uint64_t positive_attribute(const onnx::Node& node, std::string_view name, std::uint64_t otherwise = 0) {
  constexpr std::int64_t largest = 1 << 20;  // products below stay within 64 bits
  const auto attribute = node.attribute(name);
  if (!attribute) return otherwise;
  return attribute->i > 0 && attribute->i <= largest ? static_cast<std::uint64_t>(attribute->i) : 0;
}

// Elements of 2, 4 or 8 bits in bytes, the first one in the lowest bits. They are unsigned, with a zero point
// in the middle unless another one is stored; signed ones have it at 0.
class PackedBytes {
 public:
  PackedBytes(const Constant* stored, std::uint64_t bits)
      : data_(stored == nullptr ? std::string_view() : stored->data),
        bits_(bits),
        is_signed_(stored != nullptr && (stored->type == DataType::int4 || stored->type == DataType::int8)) {}
  static bool can_read(std::uint64_t bits) { return bits == 2 || bits == 4 || bits == 8; }

  std::uint64_t per_byte() const { return 8 / bits_; }
  std::uint64_t bytes_of(std::uint64_t elements) const { return (elements + per_byte() - 1) / per_byte(); }
  /// An element of a line of `line_bytes` bytes.
  int at(std::uint64_t line, std::uint64_t line_bytes, std::uint64_t index) const {
    const int byte = static_cast<unsigned char>(data_[line * line_bytes + index / per_byte()]);
    const int element = byte >> (index % per_byte() * bits_) & ((1 << bits_) - 1);
    return is_signed_ && element >= half_range() ? element - 2 * half_range() : element;
  }
  int usual_zero_point() const { return is_signed_ ? 0 : half_range(); }

 private:
  int half_range() const { return 1 << (bits_ - 1); }

  std::string_view data_;
  std::uint64_t bits_;
  bool is_signed_;
};

// The zero point of a block; blocks are those of a line, one line for each row of the weight.
class ZeroPoints {
 public:
  ZeroPoints(const Constant* stored, std::uint64_t bits, std::uint64_t rows, std::uint64_t blocks, int usual)
      : stored_(stored), packed_(stored, bits), blocks_(blocks), usual_(usual) {
    const bool has_packed =
        stored != nullptr && !stored->is_float && stored->data.size() == rows * packed_.bytes_of(blocks);
    const bool has_floats =
        stored != nullptr && stored->is_float && stored->is_readable() && stored->elements == rows * blocks;
    form_ = has_packed ? Form::packed : has_floats ? Form::floats : Form::none;
  }
  double of(std::uint64_t row, std::uint64_t block) const {
    if (form_ == Form::floats) return stored_->element(row * blocks_ + block);
    return form_ == Form::packed ? packed_.at(row, packed_.bytes_of(blocks_), block) : usual_;
  }

 private:
  enum class Form : std::uint8_t { none, packed, floats };
  const Constant* stored_;
  PackedBytes packed_;
  std::uint64_t blocks_;
  int usual_;
  Form form_ = Form::none;
};

double scale_of(const Constant* scales, std::uint64_t block) {
  return scales != nullptr && scales->is_readable() && block < scales->elements ? scales->element(block) : 1;
}

struct PackedWeight {
  const Constant *stored, *scales, *zero_points;
};

// Rows that are divided into blocks, each padded to whole blocks in bytes if `pads_blocks`.
WeightElements elements_of_blocks(const PackedWeight& weight, std::uint64_t rows, std::uint64_t columns,
                                  std::uint64_t block, std::uint64_t bits, bool pads_blocks) {
  if (!PackedBytes::can_read(bits) || rows == 0 || columns == 0 || block < 2) return {};
  const std::uint64_t blocks = (columns + block - 1) / block;
  const PackedBytes packed(weight.stored, bits);
  const std::uint64_t line_bytes = packed.bytes_of(pads_blocks ? blocks * block : columns);
  if (weight.stored->is_float || weight.stored->data.size() != rows * line_bytes) return {};
  const ZeroPoints zero_points(weight.zero_points, bits, rows, blocks, packed.usual_zero_point());
  return {rows, columns, [=, scales = weight.scales](std::uint64_t row, std::uint64_t column) {
            const std::uint64_t at = column / block;
            return (packed.at(row, line_bytes, column) - zero_points.of(row, at)) *
                   scale_of(scales, row * blocks + at);
          }};
}

WeightElements elements_of_product(const onnx::Node& node, const PackedWeight& weight) {
  return elements_of_blocks(weight, positive_attribute(node, "N"), positive_attribute(node, "K"),
                            positive_attribute(node, "block_size"), positive_attribute(node, "bits", 4),
                            true);
}

// A table whose rows are looked up: bytes of several elements, or elements of four bits.
WeightElements elements_of_table(const onnx::Node& node, const PackedWeight& weight) {
  const bool is_bytes = onnx::bits_per_element(weight.stored->type) == 8;
  const std::uint64_t bits = is_bytes ? positive_attribute(node, "bits", 4) : 4;
  if (!PackedBytes::can_read(bits)) return {};
  const std::uint64_t columns = weight.stored->columns() * (is_bytes ? 8 / bits : 1);
  return elements_of_blocks(weight, weight.stored->rows, columns, positive_attribute(node, "block_size", 128),
                            bits, false);
}

// Experts of a mixture, one after the other; without blocks each row has one scale.
WeightElements elements_of_experts(const onnx::Node& node, const PackedWeight& weight) {
  const std::uint64_t bits = positive_attribute(node, "expert_weight_bits", 4);
  const std::uint64_t rows = weight.stored->rows * weight.stored->second_axis;
  if (!PackedBytes::can_read(bits) || rows == 0 || weight.stored->elements % rows != 0) return {};
  const std::uint64_t columns = weight.stored->elements / rows * (8 / bits);
  return elements_of_blocks(weight, rows, columns, positive_attribute(node, "block_size", columns), bits,
                            false);
}

// DequantizeLinear reads the weight in its original layout, with blocks along one of its axes.
WeightElements elements_in_place(const onnx::Node& node, const PackedWeight& packed) {
  const Constant& weight = *packed.stored;
  const std::uint64_t block = positive_attribute(node, "block_size"), columns = weight.columns();
  const auto axis = node.attribute("axis");
  if (block == 0 || !weight.is_readable() || columns == 0 || weight.is_float) return {};
  const bool blocks_along_rows = axis && axis->i == 0;
  const std::uint64_t scales_per_row = blocks_along_rows ? columns : (columns + block - 1) / block;
  constexpr int middle_of_four_bits = 8;
  const int zero_point = weight.type == DataType::uint4 ? middle_of_four_bits : 0;
  return {
      weight.rows, columns, [=, &weight, scales = packed.scales](std::uint64_t row, std::uint64_t column) {
        const std::uint64_t at =
            blocks_along_rows ? row / block * scales_per_row + column : row * scales_per_row + column / block;
        return (weight.element(row * columns + column) - zero_point) * scale_of(scales, at);
      }};
}

}  // namespace

std::vector<PackedInput> packed_inputs(std::string_view op_type) {
  std::vector<PackedInput> found;
  for (const PackedOperator& each : packed_operators)
    if (each.op == op_type) found.push_back(each.input);
  return found;
}

WeightElements unpacked_elements(const onnx::Node& node, const PackedInput& input,
                                 const ConstantAt& constant) {
  const std::string_view op = node.op_type();
  const PackedWeight weight{constant(input.weight), constant(input.scales), constant(input.zero_points)};
  if (weight.stored == nullptr || weight.stored->data.empty()) return {};
  if (op == "MatMulNBits") return elements_of_product(node, weight);
  if (op == "GatherBlockQuantized") return elements_of_table(node, weight);
  if (op == "QMoE") return elements_of_experts(node, weight);
  return elements_in_place(node, weight);
}

}  // namespace thence::dataflow
