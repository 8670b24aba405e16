#include "weights/trace.h"

#include <gtest/gtest.h>

#include "evidence_parts.h"
#include "pipeline/pipeline.h"

namespace thence::weights {
namespace {

using test::Lines;
using test::node;

// "parameters (transform, source)" of each initializer.
Lines traced(const std::vector<Weight>& weights) {
  Lines lines;
  for (const Weight& weight : weights) {
    std::string line;
    for (const std::string& each : weight.parameters) line += each + " ";
    lines.push_back(line + "(" + std::string(name_of(weight.transform)) + ", " +
                    std::string(name_of(weight.source)) + ")");
  }
  return lines;
}

struct Initializer {
  std::string name;
  std::vector<std::uint64_t> dims;
};

Lines trace(test::Message graph, const std::vector<Initializer>& initializers) {
  for (const Initializer& each : initializers) {
    test::Message tensor;
    for (const std::uint64_t size : each.dims) tensor.number(onnx::TensorField::dims, size);
    graph.inner(onnx::GraphField::initializer,
                tensor.number(onnx::TensorField::data_type, 1).text(onnx::TensorField::name, each.name));
  }
  const std::string bytes = test::model(graph).bytes();
  const Result<semantics::Map> map = pipeline::map_bytes(bytes, "model.onnx", {});
  EXPECT_TRUE(map);
  return traced(trace_weights(*map));
}

TEST(TraceWeights, UsesNames) {
  EXPECT_EQ(trace(test::graph({node("Gemm", {"x", "a.fc.weight", "a.fc.bias"}, {"y"}, "/a/fc/Gemm")}),
                  {{"a.fc.weight", {4, 4}}, {"a.fc.bias", {4}}}),
            (Lines{"a.fc.weight (identity, name)", "a.fc.bias (identity, name)"}));
}

TEST(TraceWeights, UsesTheModuleOfTheConsumer) {
  EXPECT_EQ(trace(test::graph({node("MatMul", {"x", "onnx::MatMul_1"}, {"y"}, "/a/fc/MatMul")}),
                  {{"onnx::MatMul_1", {4, 4}}}),
            (Lines{"a.fc.weight (transposed, consumers)"}));
}

// A quantiser keeps the name, which the exporter made.
TEST(TraceWeights, UsesTheModuleOfTheConsumerOfAQuantisedMatrix) {
  test::Message graph = test::graph(
      {node("MatMulInteger", {"x", "w_quantized", "", "w_zero_point"}, {"p"}, "/a/fc/MatMul_quant"),
       node("Add", {"y", "q"}, {"z"}, "/a/Add")});
  for (const auto& [name, size] :
       {std::pair<const char*, std::uint64_t>{"w_quantized", 4}, {"w_zero_point", 1}, {"q", 4}}) {
    test::Message tensor;
    tensor.number(onnx::TensorField::dims, size).number(onnx::TensorField::dims, size);
    graph.inner(onnx::GraphField::initializer,
                tensor.number(onnx::TensorField::data_type, static_cast<std::uint64_t>(onnx::DataType::int8))
                    .text(onnx::TensorField::name, name));
  }
  EXPECT_EQ(trace(graph, {}), (Lines{"a.fc.weight (quantised, consumers)",
                                     "a.fc.weight (zero point of, quantisation)", "(, )"}));
}

// An optimiser names what it creates "reorder", and then "reorder_token_0".
TEST(TraceWeights, NamesWithNumberedFormsAreNoParameters) {
  const test::Message graph = test::graph({node("MatMul", {"x", "reorder"}, {"p"}, "/a/fc/MatMul"),
                                           node("MatMul", {"p", "reorder_token_0"}, {"y"}, "/b/fc/MatMul")});
  EXPECT_EQ(trace(graph, {{"reorder", {4, 4}}, {"reorder_token_0", {4, 4}}}),
            (Lines{"a.fc.weight (transposed, consumers)", "b.fc.weight (transposed, consumers)"}));
  EXPECT_EQ(trace(graph, {{"reorder", {4, 4}}}), Lines{"reorder (identity, name)"});
}

TEST(TraceWeights, UsesTheStemOfTheBias) {
  EXPECT_EQ(trace(test::graph({node("MatMul", {"x", "onnx::MatMul_1"}, {"p"}, "/attn/MatMul"),
                               node("Add", {"p", "attn.in_proj_bias"}, {"y"}, "/attn/Add")}),
                  {{"onnx::MatMul_1", {4, 4}}, {"attn.in_proj_bias", {4}}})
                .front(),
            "attn.in_proj_weight (transposed, consumers)");
}

TEST(TraceWeights, NamesNothingIfTwoTensorsClaimOneParameter) {
  EXPECT_EQ(trace(test::graph({node("MatMul", {"x", "onnx::MatMul_1"}, {"p"}, "/a/fc/MatMul"),
                               node("MatMul", {"p", "onnx::MatMul_2"}, {"y"}, "/a/fc/MatMul_1")}),
                  {{"onnx::MatMul_1", {4, 4}}, {"onnx::MatMul_2", {4, 4}}}),
            (Lines{"(, )", "(, )"}));
}

TEST(TraceWeights, NamesNothingInModulesWithSubmodules) {
  EXPECT_EQ(trace(test::graph({node("MatMul", {"x", "onnx::MatMul_1"}, {"p"}, "/a/MatMul"),
                               node("Relu", {"p"}, {"y"}, "/a/act/Relu")}),
                  {{"onnx::MatMul_1", {4, 4}}}),
            Lines{"(, )"});
}

// The exporter writes the norm of groups as that of instances, and a factor and an offset of each channel.
TEST(TraceWeights, UsesTheModuleOfANormOfGroups) {
  const auto norm = [](const test::Message& last) {
    return trace(test::graph({node("InstanceNormalization", {"x", "ones", "zeros"}, {"p"},
                                   "/a/norm/InstanceNormalization"),
                              node("Mul", {"p", "onnx::Mul_1"}, {"q"}, "/a/norm/Mul"),
                              node("Add", {"q", "onnx::Add_2"}, {"r"}, "/a/norm/Add"), last}),
                 {{"onnx::Mul_1", {4, 1, 1}}, {"onnx::Add_2", {4, 1, 1}}, {"onnx::Mul_3", {4, 1, 1}}});
  };
  EXPECT_EQ(norm(node("Relu", {"r"}, {"y"}, "/a/norm/act/Relu")),
            (Lines{"a.norm.weight (identity, consumers)", "a.norm.bias (identity, consumers)", "(, )"}));
  // A norm whose submodule has weights may name its own in another way.
  EXPECT_EQ(norm(node("Mul", {"r", "onnx::Mul_3"}, {"y"}, "/a/norm/scale/Mul")),
            (Lines{"(, )", "(, )", "(, )"}));
}

TEST(TraceWeights, NamesNoConstants) {
  EXPECT_EQ(trace(test::graph({node("Mul", {"x", "val_3"}, {"p"}, "/a/Mul"),
                               node("Add", {"p", "lifted_tensor_0"}, {"y"}, "/a/Add")}),
                  {{"val_3", {4}}, {"lifted_tensor_0", {4}}}),
            (Lines{"(, )", "(, )"}));
}

TEST(TraceWeights, UsesTheMetadataOfAFoldedNorm) {
  EXPECT_EQ(
      trace(test::graph({test::with_stack(
                node("Conv", {"x", "a.conv.weight", "a.conv.weight_bias"}, {"y"}, "node_Conv_1"),
                "['', 'a', 'a.norm', 'batch_norm']")}),
            {{"a.conv.weight", {4, 4, 1, 1}}, {"a.conv.weight_bias", {4}}}),
      (Lines{"a.conv.weight a.norm.weight a.norm.running_var (folded with, metadata)",
             "a.norm.bias a.norm.weight a.norm.running_mean a.norm.running_var (folded with, metadata)"}));
}

TEST(TraceWeights, NamesNoLiftedConstants) {
  EXPECT_EQ(trace(test::graph({node("Mul", {"x", "a.lifted_tensor_0"}, {"y"}, "/a/Mul")}),
                  {{"a.lifted_tensor_0", {4}}}),
            Lines{"(, )"});
}

TEST(MissingData, ListsInitializersWithoutElements) {
  const test::ReadModel read(
      test::model(test::graph({node("MatMul", {"x", "w"}, {"y"})})
                      .inner(onnx::GraphField::initializer, test::weight("w", {4, 4}))));
  EXPECT_EQ(missing_data(read.model()), std::vector<std::size_t>{0});
}

}  // namespace
}  // namespace thence::weights
