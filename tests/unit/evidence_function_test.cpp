#include <gtest/gtest.h>

#include "evidence_parts.h"

namespace thence::evidence {
namespace {

test::Message call(std::string_view name, test::Names inputs, std::string_view output) {
  return test::node("Layer", inputs, {output}, name).text(onnx::NodeField::domain, "pkg");
}

test::Message model_with_function(const test::Message& calls, test::Names weights) {
  test::Message graph = calls;
  for (const std::string_view name : weights)
    graph.inner(onnx::GraphField::initializer, test::weight(name, {8, 8}));
  test::Message function =
      test::function("Layer", {test::node("Gemm", {"x", "w", "v"}, {"y"})}, {"x", "w", "v"}, {"y"});
  return test::model(graph).inner(onnx::ModelField::functions,
                                  function.text(onnx::FunctionField::domain, "pkg"));
}

test::Lines from_functions(const test::ModelWithHierarchy& net) {
  Sink sink;
  collect_functions(net.model(), net.hierarchy, sink);
  return lines_of(net, sink, Source::function);
}

TEST(Functions, ACallBelongsToTheCommonOwnerOfItsParameters) {
  const test::ModelWithHierarchy net(model_with_function(
      test::graph({call("Layer_0", {"x", "layers.0.fc.weight", "layers.0.norm.weight"}, "y"),
                   test::node("Relu", {"y"}, {"z"})}),
      {"layers.0.fc.weight", "layers.0.norm.weight"}));
  EXPECT_EQ(from_functions(net), test::Lines{"0 layers.0 names_one (layers.0.norm.weight)"});
}

// A function's name is the class of its module. If only an inner module has parameters, the class finds the
// module around it.
TEST(Functions, TheClassPicksTheModuleAround) {
  test::Capture capture;
  capture.tree.add("block", "pkg.Layer");
  capture.tree.add("block.fc", "torch.nn.Linear");
  capture.tree.set_complete();
  const test::ModelWithHierarchy net(
      model_with_function(test::graph({call("", {"x", "block.fc.weight"}, "y")}), {"block.fc.weight"}),
      std::move(capture));
  EXPECT_EQ(from_functions(net), test::Lines{"0 block names_one (block.fc.weight)"});
}

TEST(Functions, TheRootIsNoAnswer) {
  const test::ModelWithHierarchy net(model_with_function(
      test::graph({call("", {"x", "a.weight", "b.weight"}, "y")}), {"a.weight", "b.weight"}));
  EXPECT_TRUE(from_functions(net).empty());
}

TEST(Functions, ACallWithoutParametersNamesNothing) {
  const test::ModelWithHierarchy net(model_with_function(test::graph({call("", {"x"}, "y")}), {"a.weight"}));
  EXPECT_TRUE(from_functions(net).empty());
}

}  // namespace
}  // namespace thence::evidence
