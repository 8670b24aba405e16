#include "shapes/operators.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>

#include "shapes/shape_rules.h"

namespace thence::shapes {
namespace {

// Operators in one list have the same shape rule.
constexpr std::string_view unary_operators[] = {
    "Abs",
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "BitwiseNot",
    "Celu",
    "Clip",
    "Cos",
    "Cosh",
    "CumSum",
    "Elu",
    "Erf",
    "Exp",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "Hardmax",
    "LRN",
    "LeakyRelu",
    "Log",
    "LogSoftmax",
    "LpNormalization",
    "MeanVarianceNormalization",
    "InstanceNormalization",
    "GroupNormalization",
    "Mish",
    "Neg",
    "PRelu",
    "Reciprocal",
    "Relu",
    "Round",
    "RotaryEmbedding",
    "RMSNormalization",
    "Selu",
    "Shrink",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softmax",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Swish",
    "Tan",
    "Tanh",
    "ThresholdedRelu",
};
constexpr std::string_view broadcasting_operators[] = {
    "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mean", "Pow",
};
constexpr std::string_view arithmetic_operators[] = {"Add", "Div", "Max", "Min", "Mod", "Mul", "Sub", "Sum"};
constexpr std::string_view comparison_operators[] = {
    "And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Or", "Xor",
};
constexpr std::string_view shape_preserving_operators[] = {
    // These keep the shape and compute nothing.
    "CastLike", "EyeLike",         "RandomNormalLike", "RandomUniformLike", "ReverseSequence",
    "Scatter",  "ScatterElements", "ScatterND",        "TensorScatter",     "Trilu",
};
constexpr std::string_view reduction_operators[] = {
    "ReduceL1",   "ReduceL2",  "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
    "ReduceMean", "ReduceMin", "ReduceProd",   "ReduceSum",       "ReduceSumSquare",
};

constexpr Operator standard_operators[] = {
    {"ArgMax", arg_reduce, ElementwiseWork::input, OutputType::int64},
    {"ArgMin", arg_reduce, ElementwiseWork::input, OutputType::int64},
    {"Attention", attention},
    {"AveragePool", pool, ElementwiseWork::output},
    {"BatchNormalization", batch_normalization, ElementwiseWork::output},
    {"Cast", cast, ElementwiseWork::none, OutputType::cast},
    {"Ceil", identity, ElementwiseWork::output},
    {"Concat", concat},
    {"Constant", constant, ElementwiseWork::none, OutputType::other},
    {"ConstantOfShape", constant_of_shape, ElementwiseWork::none, OutputType::other},
    {"Conv", convolution},
    {"ConvInteger", convolution, ElementwiseWork::none, OutputType::other},
    {"ConvTranspose", transposed_convolution},
    {"DepthToSpace", depth_to_space},
    {"DequantizeLinear", same_shape, ElementwiseWork::output, OutputType::as_second_input},
    {"Dropout", same_shape_all_outputs},
    {"DynamicQuantizeLinear", dynamic_quantize, ElementwiseWork::output, OutputType::other},
    {"Einsum", einsum},
    {"Expand", expand},
    {"Flatten", flatten},
    {"Floor", identity, ElementwiseWork::output},
    {"GRU", gru},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"Gemm", gemm},
    {"GlobalAveragePool", global_pool, ElementwiseWork::input},
    {"GlobalMaxPool", global_pool, ElementwiseWork::input},
    {"Identity", identity},
    {"IsInf", same_shape, ElementwiseWork::output, OutputType::boolean},
    {"IsNaN", same_shape, ElementwiseWork::output, OutputType::boolean},
    {"LSTM", lstm},
    {"LayerNormalization", same_shape, ElementwiseWork::output},
    {"LpPool", pool, ElementwiseWork::output},
    {"MatMul", matmul},
    {"MatMulInteger", matmul, ElementwiseWork::none, OutputType::other},
    {"MaxPool", pool, ElementwiseWork::output},
    {"NonZero", non_zero, ElementwiseWork::none, OutputType::int64},
    {"Not", logical_not, ElementwiseWork::output, OutputType::boolean},
    {"OneHot", one_hot, ElementwiseWork::none, OutputType::other},
    {"Pad", pad},
    {"QLinearConv", quantised_convolution},
    {"QLinearMatMul", quantised_matmul},
    {"QuantizeLinear", same_shape, ElementwiseWork::output, OutputType::other},
    {"RNN", rnn},
    {"Range", range},
    {"Reshape", reshape},
    {"Resize", resize, ElementwiseWork::output},
    {"Shape", shape_of, ElementwiseWork::none, OutputType::int64},
    {"Size", size_of, ElementwiseWork::none, OutputType::int64},
    {"Slice", slice},
    {"SpaceToDepth", space_to_depth},
    {"Split", split},
    {"Squeeze", squeeze},
    {"Tile", tile},
    {"TopK", top_k},
    {"Transpose", transpose},
    {"Unsqueeze", unsqueeze},
    {"Upsample", resize, ElementwiseWork::output},
    {"Where", select_by_condition, ElementwiseWork::output, OutputType::as_second_input},
};

constexpr std::string_view runtime_domain = "com.microsoft";
constexpr Operator runtime_operators[] = {
    {"Attention", packed_attention},
    {"BiasGelu", same_shape, ElementwiseWork::output},
    {"BiasSoftmax", same_shape, ElementwiseWork::output},
    {"DequantizeLinear", same_shape, ElementwiseWork::output, OutputType::as_second_input},
    {"DynamicQuantizeMatMul", matmul},
    {"FastGelu", same_shape, ElementwiseWork::output},
    {"FusedConv", convolution},
    {"FusedGemm", gemm},
    {"FusedMatMul", fused_matmul},
    {"Gelu", same_shape, ElementwiseWork::output},
    {"GroupNorm", same_shape, ElementwiseWork::output},
    {"GroupQueryAttention", grouped_attention},
    {"MatMulIntegerToFloat", matmul, ElementwiseWork::none, OutputType::other},
    {"MatMulNBits", matmul_nbits},
    {"MultiHeadAttention", multi_head_attention},
    {"QGemm", gemm, ElementwiseWork::none, OutputType::other},
    {"QLinearAdd", same_shape, ElementwiseWork::output},
    {"QLinearLeakyRelu", same_shape, ElementwiseWork::output},
    {"QLinearMul", same_shape, ElementwiseWork::output},
    {"QLinearSigmoid", same_shape, ElementwiseWork::output},
    {"QLinearSoftmax", same_shape, ElementwiseWork::output},
    {"QuantizeLinear", same_shape, ElementwiseWork::output, OutputType::other},
    {"QuickGelu", same_shape, ElementwiseWork::output},
    {"RotaryEmbedding", same_shape, ElementwiseWork::output},
    {"SkipGroupNorm", same_shape, ElementwiseWork::output},
    {"SkipLayerNormalization", same_shape, ElementwiseWork::output},
    {"SkipSimplifiedLayerNormalization", same_shape, ElementwiseWork::output},
    {"TransposeMatMul", fused_matmul},
    {"Trilu", same_shape},
};
// The blocked layout of a runtime. Shapes are those of the plain layout, with channels padded to whole
// blocks.
constexpr std::string_view blocked_domain = "com.microsoft.nchwc";
constexpr Operator blocked_operators[] = {
    {"AveragePool", pool, ElementwiseWork::output},
    {"Conv", convolution},
    {"GlobalAveragePool", global_pool, ElementwiseWork::input},
    {"GlobalMaxPool", global_pool, ElementwiseWork::input},
    {"MaxPool", pool, ElementwiseWork::output},
    {"ReorderInput", reorder_input},
    {"ReorderOutput", reorder_output},
    {"Upsample", blocked_upsample, ElementwiseWork::output},
};
// Fused operators that are written with an empty domain or the standard one, although they are not part of
// it.
constexpr Operator fused_standard_operators[] = {
    {"SimplifiedLayerNormalization", same_shape, ElementwiseWork::output},
};

using Table = std::unordered_map<std::string_view, Operator>;

Table make_standard_table() {
  Table table;
  const auto add = [&](const Operator& one) { table.emplace(one.name, one); };
  for (const auto name : unary_operators) add({name, same_shape, ElementwiseWork::output});
  for (const auto name : broadcasting_operators) add({name, broadcast_all, ElementwiseWork::output});
  for (const auto name : arithmetic_operators) add({name, arithmetic, ElementwiseWork::output});
  for (const auto name : comparison_operators)
    add({name, arithmetic, ElementwiseWork::output, OutputType::boolean});
  for (const auto name : shape_preserving_operators) add({name, same_shape});
  for (const auto name : reduction_operators) add({name, reduce, ElementwiseWork::input});
  for (const Operator& one : standard_operators) add(one);
  for (const Operator& one : fused_standard_operators) add(one);
  return table;
}

Table make_table(std::span<const Operator> operators) {
  Table table;
  for (const Operator& one : operators) table.emplace(one.name, one);
  return table;
}

bool is_standard(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

}  // namespace

bool may_multiply(std::string_view domain, std::string_view name) {
  return !is_standard(domain) || name == "DeformConv";
}

const Operator* find_operator(std::string_view domain, std::string_view name) {
  static const Table standard_table = make_standard_table(), runtime_table = make_table(runtime_operators),
                     blocked_table = make_table(blocked_operators);
  const bool standard_domain = is_standard(domain);
  if (!standard_domain && domain != runtime_domain && domain != blocked_domain) return nullptr;
  const Table& table = standard_domain            ? standard_table
                       : domain == runtime_domain ? runtime_table
                                                  : blocked_table;
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

bool counts_macs(std::string_view domain, std::string_view name) {
  static constexpr ShapeRule rules[] = {
      attention,
      packed_attention,
      multi_head_attention,
      grouped_attention,
      einsum,
      lstm,
      gru,
      rnn,
      matmul,
      quantised_matmul,
      fused_matmul,
      gemm,
      matmul_nbits,
      convolution,
      quantised_convolution,
      transposed_convolution,
  };
  const Operator* known = find_operator(domain, name);
  return known != nullptr && std::find(std::begin(rules), std::end(rules), known->rule) != std::end(rules);
}

}  // namespace thence::shapes
