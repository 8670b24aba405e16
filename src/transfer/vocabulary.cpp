#include "transfer/vocabulary.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace thence::transfer {
namespace {

constexpr int before = Spelled::before;

// A fused operator: what it computes, step by step. A step whose inputs after the first are all left out of
// the node is left out, too. '@activation' is what the node's attribute of that name says.
struct FusedOperator {
  std::string_view fused;
  struct Part {
    std::string_view op;
    std::array<int, 3> inputs;
    int count;
  };
  std::array<Part, 4> parts;
};
constexpr FusedOperator fused_operators[] = {
    {"Gemm", {{{"MatMul", {0, 1}, 2}, {"Add", {before, 2}, 2}}}},
    {"FusedGemm", {{{"MatMul", {0, 1}, 2}, {"Add", {before, 2}, 2}, {"@activation", {before}, 1}}}},
    {"GemmFastGelu", {{{"MatMul", {0, 1}, 2}, {"Add", {before, 2}, 2}, {"Gelu", {before}, 1}}}},
    {"FusedMatMul", {{{"MatMul", {0, 1}, 2}}}},
    {"TransposeMatMul", {{{"MatMul", {0, 1}, 2}}}},
    {"MatMulInteger", {{{"MatMul", {0, 1}, 2}}}},
    {"MatMulNBits", {{{"MatMul", {0, 1}, 2}, {"Add", {before, 5}, 2}}}},
    {"MatMulIntegerToFloat", {{{"MatMul", {0, 1}, 2}, {"Add", {before, 6}, 2}}}},
    {"DynamicQuantizeMatMul", {{{"MatMul", {0, 1}, 2}, {"Add", {before, 4}, 2}}}},
    {"QLinearMatMul", {{{"MatMul", {0, 3}, 2}}}},
    {"QGemm", {{{"MatMul", {0, 3}, 2}, {"Add", {before, 6}, 2}}}},
    {"Conv", {{{"Conv", {0, 1}, 2}, {"Add", {before, 2}, 2}}}},
    {"NhwcConv", {{{"Conv", {0, 1}, 2}, {"Add", {before, 2}, 2}}}},
    {"FusedConv",
     {{{"Conv", {0, 1}, 2}, {"Add", {before, 2}, 2}, {"Add", {before, 3}, 2}, {"@activation", {before}, 1}}}},
    {"NhwcFusedConv",
     {{{"Conv", {0, 1}, 2}, {"Add", {before, 2}, 2}, {"Add", {before, 3}, 2}, {"@activation", {before}, 1}}}},
    {"ConvInteger", {{{"Conv", {0, 1}, 2}}}},
    {"QLinearConv", {{{"Conv", {0, 3}, 2}, {"Add", {before, 8}, 2}}}},
    {"ConvTranspose", {{{"ConvTranspose", {0, 1}, 2}, {"Add", {before, 2}, 2}}}},
    {"QLinearAdd", {{{"Add", {0, 3}, 2}}}},
    {"QLinearMul", {{{"Mul", {0, 3}, 2}}}},
    {"QLinearSigmoid", {{{"Sigmoid", {0}, 1}}}},
    {"QLinearLeakyRelu", {{{"LeakyRelu", {0}, 1}}}},
    {"QLinearSoftmax", {{{"Softmax", {0}, 1}}}},
    {"QLinearAveragePool", {{{"AveragePool", {0}, 1}}}},
    {"QLinearGlobalAveragePool", {{{"GlobalAveragePool", {0}, 1}}}},
    {"SkipLayerNormalization",
     {{{"Add", {0, 4}, 2}, {"Add", {before, 1}, 2}, {"LayerNormalization", {before, 2, 3}, 3}}}},
    {"SkipSimplifiedLayerNormalization",
     {{{"Add", {0, 3}, 2}, {"Add", {before, 1}, 2}, {"SimplifiedLayerNormalization", {before, 2}, 2}}}},
    {"BiasGelu", {{{"Add", {0, 1}, 2}, {"Gelu", {before}, 1}}}},
    {"FastGelu", {{{"Add", {0, 1}, 2}, {"Gelu", {before}, 1}}}},
    {"QuickGelu", {{{"Sigmoid", {0}, 1}, {"Mul", {before, 0}, 2}}}},
    {"BiasSoftmax", {{{"Add", {0, 1}, 2}, {"Softmax", {before}, 1}}}},
    {"Split", {{{"Slice", {0}, 1}}}},
    {"RMSNormalization", {{{"SimplifiedLayerNormalization", {0, 1}, 2}}}},
};

const FusedOperator* fused_operator_of(std::string_view op) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const FusedOperator*> table;
    for (const FusedOperator& row : fused_operators) table.emplace(row.fused, &row);
    return table;
  }();
  const auto found = by_name.find(op);
  return found == by_name.end() ? nullptr : found->second;
}

std::string_view activation_of(const onnx::Node& node) {
  const auto attribute = node.attribute("activation");
  return attribute ? attribute->s : std::string_view();
}

bool is_there(const onnx::Node& node, int input) {
  return input >= 0 && static_cast<std::size_t>(input) < node.inputs().size() &&
         node.inputs()[static_cast<std::size_t>(input)] != onnx::none;
}

template <std::size_t Count>
bool is_one_of(std::string_view op, const std::string_view (&names)[Count]) {
  return std::find(std::begin(names), std::end(names), op) != std::end(names);
}

}  // namespace

View view_of(std::string_view op) {
  constexpr std::string_view same[] = {"Identity",
                                       "Cast",
                                       "CastLike",
                                       "Dropout",
                                       "QuantizeLinear",
                                       "DequantizeLinear",
                                       "DynamicQuantizeLinear"};
  constexpr std::string_view reshapes[] = {"Reshape", "Squeeze",   "Unsqueeze",    "Flatten",
                                           "Expand",  "Transpose", "ReorderInput", "ReorderOutput"};
  return is_one_of(op, same) ? View::same : is_one_of(op, reshapes) ? View::reshapes : View::not_one;
}

int output_on_the_way(std::string_view op) {
  constexpr std::string_view names[] = {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"};
  return is_one_of(op, names) ? 3 : -1;
}

std::string_view view_name(std::string_view op) { return op == "QLinearMul" || op == "Div" ? "Mul" : op; }

bool may_cut_off(std::string_view op) {
  return op == "QuantizeLinear" || op == "QGemm" || op.starts_with("QLinear");
}

bool is_cut_off(std::string_view op) { return op == "Relu" || op == "Clip"; }

bool may_do_nothing(std::string_view op) {
  constexpr std::string_view names[] = {"Slice", "Pad", "Tile", "Resize", "Concat"};
  return is_one_of(op, names);
}

bool multiplies(std::string_view op) {
  constexpr std::string_view names[] = {"Gemm", "FusedGemm", "FusedMatMul", "TransposeMatMul"};
  return is_one_of(op, names);
}

bool gives_integers(std::string_view op) { return op == "MatMulInteger" || op == "ConvInteger"; }

bool is_scaling(std::string_view op) { return op == "Mul" || op == "Div" || op == "Add"; }

bool is_variadic(std::string_view op) {
  constexpr std::string_view names[] = {"Concat", "Sum", "Mean", "Max", "Min"};
  return is_one_of(op, names);
}

bool is_elementwise(std::string_view op) {
  constexpr std::string_view names[] = {"Add",  "Sub",  "Mul", "Div", "Pow",     "Sqrt", "Reciprocal",
                                        "Neg",  "Tanh", "Exp", "Log", "Sigmoid", "Abs",  "Softplus",
                                        "Relu", "Erf",  "Sin", "Cos", "Max",     "Min",  "Clip"};
  return is_one_of(op, names);
}

bool is_commutative(std::string_view op) {
  constexpr std::string_view names[] = {"Add", "Mul", "Max",   "Min", "And",
                                        "Or",  "Xor", "Equal", "Sum", "Mean"};
  return is_one_of(op, names);
}

std::vector<Spelled> spelled(const onnx::Node& node) {
  const std::string_view op = node.op_type();
  const FusedOperator* const row = fused_operator_of(op);
  std::vector<Spelled> result;
  if (op == "QLinearConcat") {  // the result's scale and zero point, then each tensor with its own
    result.push_back({.op = "Concat"});
    for (int i = 2; i < static_cast<int>(node.inputs().size()); i += 3) result.back().inputs.push_back(i);
    return result;
  }
  if (row == nullptr) {
    result.push_back({.op = op, .all = node.inputs().size()});
    return result;
  }
  int first = 0;  // what stands for the step before the first one
  for (const FusedOperator::Part& part : row->parts) {
    if (part.op.empty()) continue;
    Spelled spelled{.op = part.op};
    if (part.op == "@activation") spelled.op = activation_of(node);
    if (spelled.op.empty()) continue;
    for (int i = 0; i < part.count; ++i)
      if (const int input = part.inputs[static_cast<std::size_t>(i)];
          input == before || is_there(node, input))
        spelled.inputs.push_back(input);
    // One of two operands left out: what is left is the other one.
    if (part.count == 2 && spelled.inputs.size() == 1) {
      first = spelled.inputs.front() == before ? first : spelled.inputs.front();
      continue;
    }
    for (int& input : spelled.inputs)
      if (input == before && result.empty()) input = first;
    result.push_back(std::move(spelled));
  }
  return result;
}

std::string_view last_operation(const onnx::Node& node) {
  if (node.op_type() == "QLinearConcat") return "Concat";
  if (fused_operator_of(node.op_type()) == nullptr) return node.op_type();
  const std::vector<Spelled> parts = spelled(node);
  return parts.empty() ? node.op_type() : parts.back().op;
}

}  // namespace thence::transfer
