#include "dataflow/primitive_ops.h"

#include <array>
#include <unordered_map>

namespace thence::dataflow {
namespace {

constexpr int previous = PrimitiveOp::previous;

// A fused operator and the operations that it computes in order. An operation whose inputs after the first
// are all absent from the node does not take place. '@activation' stands for the operator in the attribute of
// that name.
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
    {"Gemm", {{{"MatMul", {0, 1}, 2}, {"Add", {previous, 2}, 2}}}},
    {"FusedGemm", {{{"MatMul", {0, 1}, 2}, {"Add", {previous, 2}, 2}, {"@activation", {previous}, 1}}}},
    {"GemmFastGelu", {{{"MatMul", {0, 1}, 2}, {"Add", {previous, 2}, 2}, {"Gelu", {previous}, 1}}}},
    {"FusedMatMul", {{{"MatMul", {0, 1}, 2}}}},
    {"TransposeMatMul", {{{"MatMul", {0, 1}, 2}}}},
    {"MatMulInteger", {{{"MatMul", {0, 1}, 2}}}},
    {"MatMulNBits", {{{"MatMul", {0, 1}, 2}, {"Add", {previous, 5}, 2}}}},
    {"MatMulIntegerToFloat", {{{"MatMul", {0, 1}, 2}, {"Add", {previous, 6}, 2}}}},
    {"DynamicQuantizeMatMul", {{{"MatMul", {0, 1}, 2}, {"Add", {previous, 4}, 2}}}},
    {"QLinearMatMul", {{{"MatMul", {0, 3}, 2}}}},
    {"QGemm", {{{"MatMul", {0, 3}, 2}, {"Add", {previous, 6}, 2}}}},
    // In the domain of blocked layouts, Conv has a sum and an activation, as FusedConv.
    {"Conv",
     {{{"Conv", {0, 1}, 2},
       {"Add", {previous, 2}, 2},
       {"Add", {previous, 3}, 2},
       {"@activation", {previous}, 1}}}},
    {"NhwcConv", {{{"Conv", {0, 1}, 2}, {"Add", {previous, 2}, 2}}}},
    {"FusedConv",
     {{{"Conv", {0, 1}, 2},
       {"Add", {previous, 2}, 2},
       {"Add", {previous, 3}, 2},
       {"@activation", {previous}, 1}}}},
    {"NhwcFusedConv",
     {{{"Conv", {0, 1}, 2},
       {"Add", {previous, 2}, 2},
       {"Add", {previous, 3}, 2},
       {"@activation", {previous}, 1}}}},
    {"ConvInteger", {{{"Conv", {0, 1}, 2}}}},
    {"QLinearConv", {{{"Conv", {0, 3}, 2}, {"Add", {previous, 8}, 2}}}},
    {"ConvTranspose", {{{"ConvTranspose", {0, 1}, 2}, {"Add", {previous, 2}, 2}}}},
    {"QLinearAdd", {{{"Add", {0, 3}, 2}}}},
    {"QLinearMul", {{{"Mul", {0, 3}, 2}}}},
    {"QLinearSigmoid", {{{"Sigmoid", {0}, 1}}}},
    {"QLinearLeakyRelu", {{{"LeakyRelu", {0}, 1}}}},
    {"QLinearSoftmax", {{{"Softmax", {0}, 1}}}},
    {"QLinearAveragePool", {{{"AveragePool", {0}, 1}}}},
    {"QLinearGlobalAveragePool", {{{"GlobalAveragePool", {0}, 1}}}},
    {"SkipLayerNormalization",
     {{{"Add", {0, 4}, 2}, {"Add", {previous, 1}, 2}, {"LayerNormalization", {previous, 2, 3}, 3}}}},
    {"SkipSimplifiedLayerNormalization",
     {{{"Add", {0, 3}, 2}, {"Add", {previous, 1}, 2}, {"SimplifiedLayerNormalization", {previous, 2}, 2}}}},
    {"BiasGelu", {{{"Add", {0, 1}, 2}, {"Gelu", {previous}, 1}}}},
    {"FastGelu", {{{"Add", {0, 1}, 2}, {"Gelu", {previous}, 1}}}},
    {"QuickGelu", {{{"Sigmoid", {0}, 1}, {"Mul", {previous, 0}, 2}}}},
    {"BiasSoftmax", {{{"Add", {0, 1}, 2}, {"Softmax", {previous}, 1}}}},
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

bool has_input(const onnx::Node& node, int input) {
  return input >= 0 && static_cast<std::size_t>(input) < node.inputs().size() &&
         node.inputs()[static_cast<std::size_t>(input)] != onnx::none;
}

// Two inputs describe the result, then come a tensor, its scale and its zero point each.
PrimitiveOp concat_of(const onnx::Node& quantised_concat) {
  PrimitiveOp concat{.op = "Concat"};
  for (int i = 2; i < static_cast<int>(quantised_concat.inputs().size()); i += 3) concat.inputs.push_back(i);
  return concat;
}

// A part with those of its inputs that the node has.
PrimitiveOp primitive_of(const onnx::Node& node, const FusedOperator::Part& part) {
  PrimitiveOp primitive{.op = part.op == "@activation" ? activation_of(node) : part.op};
  for (int i = 0; i < part.count; ++i)
    if (const int input = part.inputs[static_cast<std::size_t>(i)];
        input == previous || has_input(node, input))
      primitive.inputs.push_back(input);
  return primitive;
}

std::vector<PrimitiveOp> expand(const onnx::Node& node, const FusedOperator& row) {
  std::vector<PrimitiveOp> result;
  int first_operand = 0;  // the input that `previous` means in the first operation
  for (const FusedOperator::Part& part : row.parts) {
    if (part.op.empty()) continue;
    PrimitiveOp primitive = primitive_of(node, part);
    if (primitive.op.empty()) continue;
    // One of two operands is absent: the result is the other one.
    if (part.count == 2 && primitive.inputs.size() == 1) {
      first_operand = primitive.inputs.front() == previous ? first_operand : primitive.inputs.front();
      continue;
    }
    for (int& input : primitive.inputs)
      if (input == previous && result.empty()) input = first_operand;
    result.push_back(std::move(primitive));
  }
  return result;
}

}  // namespace

int intermediate_output(std::string_view op_type) {
  return op_type == "SkipLayerNormalization" || op_type == "SkipSimplifiedLayerNormalization" ? 3 : -1;
}

std::string_view canonical_view_op(const onnx::Node& view) {
  const std::string_view op = view.op_type();
  if (op == "QLinearMul" || op == "Div") return "Mul";
  // A conversion to or from blocked channels may include a transposition to or from channels last.
  if (op == "ReorderInput" || op == "ReorderOutput") {
    const auto channels_last = view.attribute("channels_last");
    if (channels_last && channels_last->i != 0) return "Transpose";
  }
  return op;
}

bool is_primitive(std::string_view op_type) {
  return op_type != "QLinearConcat" && fused_operator_of(op_type) == nullptr;
}

std::vector<PrimitiveOp> primitives_of(const onnx::Node& node) {
  const std::string_view op = node.op_type();
  if (op == "QLinearConcat") return {concat_of(node)};
  if (const FusedOperator* const row = fused_operator_of(op)) return expand(node, *row);
  return {{.op = op, .all = node.inputs().size()}};
}

std::string_view last_primitive(const onnx::Node& node) {
  if (node.op_type() == "QLinearConcat") return "Concat";
  if (fused_operator_of(node.op_type()) == nullptr) return node.op_type();
  const std::vector<PrimitiveOp> parts = primitives_of(node);
  return parts.empty() ? node.op_type() : parts.back().op;
}

}  // namespace thence::dataflow
