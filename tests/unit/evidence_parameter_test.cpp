#include <gtest/gtest.h>

#include "evidence_parts.h"

namespace thence::evidence {
namespace {

test::Lines from_parameters(test::Message graph, const std::vector<std::string>& weights) {
  for (const std::string& name : weights)
    graph.inner(onnx::GraphField::initializer, test::weight(name, {8, 8}));
  const test::ModelWithHierarchy net(test::model(graph));
  Sink sink;
  collect_parameters(net.model(), net.hierarchy, sink);
  return lines_of(net, sink, Source::parameter);
}

TEST(Parameters, NameTheirOwner) {
  EXPECT_EQ(from_parameters(test::graph({test::node("Gemm", {"x", "a.fc.weight", "a.fc.bias"}, {"y"}),
                                         test::node("Relu", {"y"}, {"z"})}),
                            {"a.fc.weight", "a.fc.bias"}),
            test::Lines{"0 a.fc reads (a.fc.weight)"});
}

TEST(Parameters, NameEveryOwner) {
  EXPECT_EQ(from_parameters(test::graph({test::node("Conv", {"x", "conv.weight", "norm.bias"}, {"y"})}),
                            {"conv.weight", "norm.bias"}),
            (test::Lines{"0 conv reads (conv.weight)", "0 norm reads (norm.bias)"}));
}

TEST(Parameters, AreFoundBehindATranspose) {
  EXPECT_EQ(from_parameters(test::graph({test::node("Transpose", {"a.fc.weight"}, {"t"}),
                                         test::node("MatMul", {"x", "t"}, {"y"})}),
                            {"a.fc.weight"}),
            (test::Lines{"0 a.fc reads (a.fc.weight)", "1 a.fc reads (a.fc.weight)"}));
}

TEST(Parameters, AreListedUpToALimit) {
  std::vector<std::string> weights;
  test::Message reader;
  for (int i = 0; i < 70; ++i) {
    weights.push_back("layers." + std::to_string(i) + ".weight");
    reader.text(onnx::NodeField::input, weights.back());
  }
  reader.text(onnx::NodeField::output, "y").text(onnx::NodeField::op_type, "Concat");
  EXPECT_EQ(from_parameters(test::graph({reader}), weights).size(), 64u);
}

TEST(Parameters, NameNothingIfTheyHaveNoPath) {
  EXPECT_TRUE(from_parameters(test::graph({test::node("MatMul", {"x", "onnx::MatMul_12"}, {"y"})}),
                              {"onnx::MatMul_12"})
                  .empty());
}

}  // namespace
}  // namespace thence::evidence
