#include "shapes/operators.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "shapes/rules.h"

namespace thence::shapes {
namespace {

// Operators in one list have the same shape rule.
constexpr std::string_view mapped[] = {
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
constexpr std::string_view combined[] = {
    "BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Mean", "Pow",
};
constexpr std::string_view computed[] = {"Add", "Div", "Max", "Min", "Mod", "Mul", "Sub", "Sum"};
constexpr std::string_view compared[] = {
    "And", "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Or", "Xor",
};
constexpr std::string_view placed[] = {
    // These keep the shape and compute nothing.
    "CastLike", "EyeLike",         "RandomNormalLike", "RandomUniformLike", "ReverseSequence",
    "Scatter",  "ScatterElements", "ScatterND",        "TensorScatter",     "Trilu",
};
constexpr std::string_view reduced[] = {
    "ReduceL1",   "ReduceL2",  "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
    "ReduceMean", "ReduceMin", "ReduceProd",   "ReduceSum",       "ReduceSumSquare",
};

constexpr Operator standard[] = {
    {"ArgMax", arg_reduce, Each::input, Gives::int64},
    {"ArgMin", arg_reduce, Each::input, Gives::int64},
    {"Attention", attention},
    {"AveragePool", pool, Each::output},
    {"BatchNormalization", normalised_batch, Each::output},
    {"Cast", cast, Each::none, Gives::cast},
    {"Ceil", copied, Each::output},
    {"Concat", concat},
    {"Constant", constant, Each::none, Gives::other},
    {"ConstantOfShape", constant_of_shape, Each::none, Gives::other},
    {"Conv", convolution},
    {"ConvInteger", convolution, Each::none, Gives::other},
    {"ConvTranspose", transposed_convolution},
    {"DepthToSpace", depth_to_space},
    {"DequantizeLinear", same_shape, Each::output, Gives::second},
    {"Dropout", same_all_outputs},
    {"DynamicQuantizeLinear", content_of_scalar, Each::output, Gives::other},
    {"Einsum", einsum},
    {"Expand", expand},
    {"Flatten", flatten},
    {"Floor", copied, Each::output},
    {"GRU", gru},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"Gemm", general_product},
    {"GlobalAveragePool", global_pool, Each::input},
    {"GlobalMaxPool", global_pool, Each::input},
    {"Identity", copied},
    {"IsInf", same_shape, Each::output, Gives::boolean},
    {"IsNaN", same_shape, Each::output, Gives::boolean},
    {"LSTM", lstm},
    {"LayerNormalization", same_shape, Each::output},
    {"LpPool", pool, Each::output},
    {"MatMul", matrix_product},
    {"MatMulInteger", matrix_product, Each::none, Gives::other},
    {"MaxPool", pool, Each::output},
    {"NonZero", non_zero, Each::none, Gives::int64},
    {"Not", negated, Each::output, Gives::boolean},
    {"OneHot", one_hot, Each::none, Gives::other},
    {"Pad", pad},
    {"QLinearConv", quantised_convolution},
    {"QLinearMatMul", quantised_matrix_product},
    {"QuantizeLinear", same_shape, Each::output, Gives::other},
    {"RNN", rnn},
    {"Range", range},
    {"Reshape", reshape},
    {"Resize", resize, Each::output},
    {"Shape", shape_of, Each::none, Gives::int64},
    {"Size", size_of, Each::none, Gives::int64},
    {"Slice", slice},
    {"SpaceToDepth", space_to_depth},
    {"Split", split},
    {"Squeeze", squeeze},
    {"Tile", tile},
    {"TopK", top_k},
    {"Transpose", transpose},
    {"Unsqueeze", unsqueeze},
    {"Upsample", resize, Each::output},
    {"Where", choose, Each::output, Gives::second},
};

constexpr std::string_view runtime_domain = "com.microsoft";
constexpr Operator of_runtimes[] = {
    {"Attention", packed_attention},
    {"BiasGelu", same_shape, Each::output},
    {"DequantizeLinear", same_shape, Each::output, Gives::second},
    {"DynamicQuantizeMatMul", matrix_product},
    {"FastGelu", same_shape, Each::output},
    {"FusedConv", convolution},
    {"FusedGemm", general_product},
    {"FusedMatMul", fused_matrix_product},
    {"Gelu", same_shape, Each::output},
    {"GroupQueryAttention", grouped_attention},
    {"MatMulIntegerToFloat", matrix_product, Each::none, Gives::other},
    {"MatMulNBits", packed_product},
    {"MultiHeadAttention", multi_head_attention},
    {"QGemm", general_product, Each::none, Gives::other},
    {"QLinearAdd", same_shape, Each::output},
    {"QuantizeLinear", same_shape, Each::output, Gives::other},
    {"QuickGelu", same_shape, Each::output},
    {"RotaryEmbedding", same_shape, Each::output},
    {"SkipLayerNormalization", same_shape, Each::output},
    {"SkipSimplifiedLayerNormalization", same_shape, Each::output},
};
// Fused operators that are written with an empty domain or the standard one, although they are not part of
// it.
constexpr Operator fused_in_place[] = {
    {"SimplifiedLayerNormalization", same_shape, Each::output},
};

using Table = std::unordered_map<std::string_view, Operator>;

Table make_standard() {
  Table table;
  const auto add = [&](const Operator& one) { table.emplace(one.name, one); };
  for (const auto name : mapped) add({name, same_shape, Each::output});
  for (const auto name : combined) add({name, broadcast_all, Each::output});
  for (const auto name : computed) add({name, arithmetic, Each::output});
  for (const auto name : compared) add({name, arithmetic, Each::output, Gives::boolean});
  for (const auto name : placed) add({name, same_shape});
  for (const auto name : reduced) add({name, reduce, Each::input});
  for (const Operator& one : standard) add(one);
  for (const Operator& one : fused_in_place) add(one);
  return table;
}

Table make_runtimes() {
  Table table;
  for (const Operator& one : of_runtimes) table.emplace(one.name, one);
  return table;
}

}  // namespace

const Operator* find_operator(std::string_view domain, std::string_view name) {
  static const Table own = make_standard(), others = make_runtimes();
  const bool standard_domain = domain.empty() || domain == "ai.onnx";
  if (!standard_domain && domain != runtime_domain) return nullptr;
  const Table& table = standard_domain ? own : others;
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

bool is_product(std::string_view domain, std::string_view name) {
  static constexpr Rule rules[] = {
      attention,
      packed_attention,
      multi_head_attention,
      grouped_attention,
      einsum,
      lstm,
      gru,
      rnn,
      matrix_product,
      quantised_matrix_product,
      fused_matrix_product,
      general_product,
      packed_product,
      convolution,
      quantised_convolution,
      transposed_convolution,
  };
  const Operator* known = find_operator(domain, name);
  return known != nullptr && std::find(std::begin(rules), std::end(rules), known->rule) != std::end(rules);
}

}  // namespace thence::shapes
