// Scopes of a tool that built a graph after the model of a capture: the weights in them tell the modules.
#include <gtest/gtest.h>

#include <string>

#include "base/half_float.h"
#include "dataflow/weight_samples.h"
#include "evidence_parts.h"

namespace thence::evidence {
namespace {

using test::graph;
using test::node;

constexpr std::uint64_t size = 8;

float number(std::uint64_t at) { return static_cast<float>(at * 7919 % 101) / 101; }

// A gated layer, whose activation function has no scope in the file.
capture::Capture gated_layer() {
  capture::Capture capture;
  capture.tree.add("a", "library.Mlp");
  capture.tree.add("a.fc", "torch.nn.modules.linear.Linear");
  capture.tree.add("a.act", "torch.nn.modules.activation.SiLU");
  capture.tree.set_complete();
  capture::CapturedParameter& parameter = capture.parameters.emplace_back();
  parameter.path = "a.fc.weight";
  parameter.dims = {size, size};
  parameter.has_dims = true;
  for (const double value : dataflow::sample_weight(size * size, number))
    parameter.samples.push_back(base::to_float16(static_cast<float>(value)));
  return capture;
}

test::Lines from_names(test::Message made) {
  std::string data;
  for (std::uint64_t at = 0; at < size * size; ++at) {
    const float value = number(at);
    data.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  made.inner(onnx::GraphField::initializer,
             test::weight("w", {size, size}).text(onnx::TensorField::raw_data, data));
  const test::ModelWithHierarchy net(test::model(made), gated_layer());
  Sink sink;
  collect_scopes(net.model(), net.hierarchy, sink);
  return lines_of(net, sink, Source::onnx_scope_parsing);
}

TEST(BuilderScopes, FollowTheWeightsInThem) {
  EXPECT_EQ(
      from_names(
          graph({node("MatMul", {"x", "w"}, {"y"}, "/b/proj/MatMul"),
                 node("Softmax", {"y"}, {"z"}, "/b/proj/Softmax"), node("Exp", {"z"}, {"e"}, "/b/Exp")})),
      (test::Lines{"0 a.fc by_weights (/b/proj)", "1 a by_outer_scope (/b/proj)", "2 a by_weights (/b)"}));
}

TEST(BuilderScopes, HaveActivationFunctionsInside) {
  EXPECT_EQ(
      from_names(graph({node("MatMul", {"x", "w"}, {"y"}, "/a/fc/MatMul"),
                        node("Sigmoid", {"y"}, {"s"}, "/a/Sigmoid"), node("Mul", {"y", "s"}, {"z"}, "/a/Mul"),
                        node("Mul", {"z", "y"}, {"g"}, "/a/Mul_1"), node("Gelu", {"g"}, {"e"}, "/a/Gelu")})),
      (test::Lines{"0 a.fc by_weights (/a/fc)", "1 a by_weights (/a)", "2 a.act by_outer_scope (/a)",
                   "3 a by_weights (/a)", "4 a.act by_outer_scope (/a)"}));
}

TEST(BuilderScopes, MayHaveNodesWithoutInputs) {
  EXPECT_EQ(from_names(graph(
                {node("MatMul", {"x", "w"}, {"y"}, "/a/fc/MatMul"), node("Sigmoid", {}, {"s"}, "/a/Sigmoid"),
                 node("Mul", {"y", "s"}, {"z"}, "/a/Mul"), node("Mul", {"", ""}, {"e"}, "/a/Mul_1")})),
            (test::Lines{"0 a.fc by_weights (/a/fc)", "1 a by_weights (/a)", "2 a by_weights (/a)",
                         "3 a by_weights (/a)"}));
}

}  // namespace
}  // namespace thence::evidence
