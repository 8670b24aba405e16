#include "dataflow/operator_traits.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

namespace thence::dataflow {
namespace {

using enum Trait;

struct OperatorRow {
  std::string_view op_type;
  OperatorTraits traits;
};
constexpr OperatorRow operators[] = {
    {"Abs", elementwise},
    {"Add", commutative | elementwise | scales},
    {"And", commutative},
    {"AveragePool", pads},
    {"Cast", keeps_elements | prepares_weight | exporter_prepares_weight},
    {"CastLike", keeps_elements | prepares_weight},
    {"Clip", elementwise | clamps},
    {"Concat", may_be_noop | variadic},
    {"Conv", pads},
    {"ConvInteger", integer_sums},
    {"Cos", elementwise},
    {"DequantizeLinear", keeps_elements | prepares_weight | exporter_prepares_weight | quantiser},
    {"Div", elementwise | scales},
    {"Dropout", keeps_elements},
    {"DynamicQuantizeLinear", keeps_elements | quantiser},
    {"Equal", commutative},
    {"Erf", elementwise},
    {"Exp", elementwise},
    {"Expand", reshapes | noop_view | torch_view},
    {"Flatten", reshapes | regroups | noop_view},
    {"FusedConv", pads},
    {"FusedGemm", scaled_product},
    {"FusedMatMul", scaled_product},
    {"Gather", torch_view},
    {"Gemm", scaled_product},
    {"Identity", keeps_elements | prepares_weight | exporter_prepares_weight},
    {"Log", elementwise},
    {"MatMulInteger", integer_sums},
    {"Max", commutative | variadic | elementwise},
    {"MaxPool", pads},
    {"Mean", commutative | variadic},
    {"Min", commutative | variadic | elementwise},
    {"Mul", commutative | elementwise | scales},
    {"Neg", elementwise},
    {"NhwcConv", pads},
    {"NhwcFusedConv", pads},
    {"Or", commutative},
    {"Pad", may_be_noop},
    {"Pow", elementwise},
    {"QGemm", may_clamp},
    {"QuantizeLinear", keeps_elements | prepares_weight | quantiser | may_clamp},
    {"Reciprocal", elementwise},
    {"Relu", elementwise | clamps},
    {"ReorderInput", reshapes},
    {"ReorderOutput", reshapes},
    {"Reshape", reshapes | regroups | noop_view | prepares_weight | exporter_prepares_weight | torch_view},
    {"Resize", may_be_noop},
    {"Shape", reads_shape},
    {"Sigmoid", elementwise},
    {"Sin", elementwise},
    {"Size", reads_shape},
    {"Slice", torch_view | may_be_noop},
    {"Softplus", elementwise},
    {"Split", torch_view},
    {"Sqrt", elementwise},
    {"Squeeze", reshapes | regroups | noop_view | prepares_weight | exporter_prepares_weight | torch_view},
    {"Sub", elementwise},
    {"Sum", commutative | variadic},
    {"Tanh", elementwise},
    {"Tile", may_be_noop},
    {"Transpose", reshapes | prepares_weight | exporter_prepares_weight | torch_view},
    {"TransposeMatMul", scaled_product},
    {"Unsqueeze", reshapes | regroups | noop_view | prepares_weight | exporter_prepares_weight | torch_view},
    {"Xor", commutative},
};

// In the standard domain or in that of a runtime.
constexpr std::string_view activations[] = {
    "BiasGelu",
    "Celu",
    "Clip",
    "Elu",
    "Erf",
    "FastGelu",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "LeakyRelu",
    "LogSoftmax",
    "Mish",
    "PRelu",
    "QuickGelu",
    "Relu",
    "Selu",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Softsign",
    "Swish",
    "Tanh",
    "ThresholdedRelu",
};

}  // namespace

OperatorTraits traits_of(std::string_view op_type) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, OperatorTraits> table;
    for (const OperatorRow& row : operators) table.emplace(row.op_type, row.traits);
    return table;
  }();
  const auto found = by_name.find(op_type);
  if (found != by_name.end()) return found->second;
  return op_type.starts_with("QLinear") ? OperatorTraits(may_clamp) : OperatorTraits();
}

bool is_activation(std::string_view op_type) {
  return std::find(std::begin(activations), std::end(activations), op_type) != std::end(activations);
}

bool is_quantised(std::string_view op_type) {
  const auto contains = [&](std::string_view part) { return op_type.find(part) != std::string_view::npos; };
  return contains("uantize") || contains("Integer") || contains("NBits") || op_type.starts_with("QLinear") ||
         op_type == "QGemm" || op_type == "QAttention";
}

}  // namespace thence::dataflow
