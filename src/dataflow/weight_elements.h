// The elements of a weight that a node reads in another form than as numbers in a row: quantised in blocks
// with a scale each, and packed several elements to a byte.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "dataflow/constant.h"
#include "onnx/model.h"

namespace thence::dataflow {

/// A weight as a matrix; further axes count as columns, but those of experts as rows.
struct WeightElements {
  std::uint64_t rows = 0, columns = 0;  // 0 if the node reads no such weight
  std::function<double(std::uint64_t row, std::uint64_t column)> at;
  std::uint64_t count() const { return rows * columns; }
};

/// The constant that a node reads at an input; null if that is none.
using ConstantAt = std::function<const Constant*(std::size_t input)>;

/// The inputs at which an operator reads a packed weight, its scales, and zero points that it may lack.
struct PackedInput {
  std::size_t weight, scales, zero_points;
};
std::vector<PackedInput> packed_inputs(std::string_view op_type);

/// The elements that a packed weight stands for. A weight of MatMulNBits has a row for each output, as that
/// of torch.nn.Linear has.
WeightElements unpacked_elements(const onnx::Node& node, const PackedInput& input,
                                 const ConstantAt& constant);

}  // namespace thence::dataflow
