#include "weights/input_slot.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/format.h"

namespace thence::weights {
namespace {

// Recurrent operators order the gates otherwise than PyTorch, and concatenate directions and biases.
std::optional<InputSlot> slot_of_recurrent(const onnx::Node& node, std::uint32_t input, std::uint32_t layer) {
  static constexpr std::string_view weights[] = {"weight_ih", "weight_hh"};
  if (input < 1 || input > 3) return std::nullopt;
  const auto direction = node.attribute("direction");
  const bool is_bidirectional = direction && direction->s == "bidirectional";
  InputSlot slot{.names = {}, .transform = Transform::concatenated};
  for (int reversed = 0; reversed <= (is_bidirectional ? 1 : 0); ++reversed) {
    const std::string end = base::format("_l{}{}", layer, reversed == 1 ? "_reverse" : "");
    if (input < 3) {
      slot.names.push_back(std::string(weights[input - 1]) + end);
    } else {
      slot.names.push_back("bias_ih" + end);
      slot.names.push_back("bias_hh" + end);
    }
  }
  if (slot.names.size() == 1) slot.transform = Transform::transposed;
  return slot;
}

// Whether an operator multiplies quantised matrices, and reads the second one at this input.
bool is_quantised_product(std::string_view op, std::uint32_t input) {
  static constexpr std::pair<std::string_view, std::uint32_t> products[] = {{"MatMulInteger", 1},
                                                                            {"MatMulIntegerToFloat", 1},
                                                                            {"DynamicQuantizeMatMul", 1},
                                                                            {"QLinearMatMul", 3},
                                                                            {"QGemm", 3}};
  return std::find(std::begin(products), std::end(products), std::pair{op, input}) != std::end(products);
}

std::optional<InputSlot> slot_of_product(const onnx::Node& node, std::string name) {
  const auto transposes = node.attribute("transB");
  const bool is_transposed = name == "weight" && (!transposes || transposes->i == 0);
  return InputSlot{{std::move(name)}, is_transposed ? Transform::transposed : Transform::identity};
}

}  // namespace

std::optional<InputSlot> slot_of_norm(const onnx::Node& node) {
  if (node.op_type() == "Mul") return InputSlot{{"weight"}, Transform::identity};
  if (node.op_type() == "Add") return InputSlot{{"bias"}, Transform::identity};
  return std::nullopt;
}

bool is_recurrent(std::string_view op_type) {
  return op_type == "LSTM" || op_type == "GRU" || op_type == "RNN" || op_type == "DynamicQuantizeLSTM";
}

std::optional<InputSlot> slot_of(const onnx::Node& node, std::uint32_t input, std::uint32_t layer) {
  static constexpr std::string_view products[] = {"MatMul", "FusedMatMul", "Gemm", "FusedGemm"};
  static constexpr std::string_view convolutions[] = {"Conv", "ConvTranspose", "FusedConv"};
  const std::string_view op = node.op_type();
  if (is_recurrent(op)) return slot_of_recurrent(node, input, layer);
  if (op == "PRelu" && input == 1) return InputSlot{{"weight"}, Transform::identity};
  if (is_quantised_product(op, input)) return slot_of_product(node, "weight");
  if (input != 1 && input != 2) return std::nullopt;
  const std::string name = input == 1 ? "weight" : "bias";
  if (std::find(std::begin(products), std::end(products), op) != std::end(products))
    return slot_of_product(node, name);
  // A convolution's weight keeps its name unless a norm was folded into it.
  if (std::find(std::begin(convolutions), std::end(convolutions), op) != std::end(convolutions))
    return InputSlot{{name}, Transform::folded};
  return std::nullopt;
}

}  // namespace thence::weights
