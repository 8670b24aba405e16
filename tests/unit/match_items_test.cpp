#include "match/items.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::match {
namespace {

using test::body;
using test::graph;
using test::node;
using Numbers = std::vector<std::uint32_t>;

bool all_operators(std::string_view) { return true; }

Numbers aligned_nodes(const std::vector<NodeItem>& items) {
  Numbers nodes;
  for (const NodeItem& item : items) nodes.push_back(item.node);
  return nodes;
}

test::Message with_weights(test::Message graph, test::Names names) {
  for (const std::string_view name : names) graph.inner(onnx::GraphField::initializer, test::tensor(name));
  return test::model(graph);
}

TEST(Items, BodiesFollowTheNodeThatHoldsThem) {
  const test::Message conditional =
      node("If", {"c"}, {"y"})
          .inner(onnx::NodeField::attribute,
                 body("then_branch", graph({node("Neg", {"x"}, {"a"})}, {}, {"a"})))
          .inner(onnx::NodeField::attribute,
                 body("else_branch", graph({node("Exp", {"x"}, {"b"})}, {}, {"b"})));
  const test::ReadModel read(
      test::model(graph({conditional, node("Relu", {"y"}, {"z"})}, {"c", "x"}, {"z"})));
  // Rows: If, Relu, then Neg and Exp of the bodies.
  EXPECT_EQ(aligned_nodes(items_of(read.model(), {}, all_operators)), (Numbers{0, 2, 3, 1}));
}

TEST(Items, BodiesThatDidNotRunAreLeftOut) {
  const test::Message conditional =
      node("If", {"c"}, {"y"})
          .inner(onnx::NodeField::attribute,
                 body("then_branch", graph({node("Add", {"x", "v"}, {"a"})}, {}, {"a"})))
          .inner(onnx::NodeField::attribute,
                 body("else_branch", graph({node("Mul", {"x", "w"}, {"b"})}, {}, {"b"})));
  const test::ReadModel read(with_weights(graph({conditional}, {"c", "x"}, {"y"}), {"v", "w"}));
  // The recording has v as its parameter 0, and not w.
  EXPECT_EQ(aligned_nodes(items_of(read.model(), {{{0}, {}}, {false, true}}, all_operators)),
            (Numbers{0, 1}));
  EXPECT_EQ(aligned_nodes(items_of(read.model(), {{{0}, {}}, {false, false}}, all_operators)),
            (Numbers{0, 1, 2}));
}

TEST(Items, ConstantsAndOtherOperatorsAreLeftOut) {
  const test::ReadModel read(with_weights(graph({node("Constant", {}, {"k"}), node("Identity", {"w"}, {"i"}),
                                                 node("Add", {"x", "k"}, {"a"}), node("Foo", {"a"}, {"y"})},
                                                {"x"}, {"y"}),
                                          {"w"}));
  const auto items = items_of(read.model(), {{{}}, {}}, [](std::string_view op) { return op != "Foo"; });
  EXPECT_EQ(aligned_nodes(items), Numbers{2});
}

TEST(Items, ParametersAreFoundThroughOtherForms) {
  const test::ReadModel read(
      with_weights(graph({node("Cast", {"w"}, {"c"}), node("Transpose", {"c"}, {"t"}),
                          node("MatMul", {"x", "t"}, {"m"}), node("Relu", {"m"}, {"y"})},
                         {"x"}, {"y"}),
                   {"w"}));
  const auto items = items_of(read.model(), {{{7}}, {}}, all_operators);
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(items[2].parameters, Numbers{7});
  EXPECT_EQ(items[2].producers, Numbers{1});
  EXPECT_EQ(items[3].parameters, Numbers{});  // a result is no form of the parameter
  EXPECT_TRUE(items[0].is_cast);
}

TEST(Items, ShapesAndConstantsAreDistinguishedFromData) {
  const test::ReadModel read(
      with_weights(graph({node("Shape", {"x"}, {"s"}), node("Gather", {"s", "k"}, {"g"}),
                          node("Neg", {"k"}, {"n"}), node("Reshape", {"x", "g"}, {"y"})},
                         {"x"}, {"y"}),
                   {"k"}));
  const auto items = items_of(read.model(), {{{}}, {}}, all_operators);
  const auto flags = [&](std::size_t i) {
    return std::pair(items[i].is_shape_or_constant, items[i].is_shape_computation);
  };
  EXPECT_EQ(flags(0), std::pair(true, true));
  EXPECT_EQ(flags(1), std::pair(true, true));
  EXPECT_EQ(flags(2), std::pair(true, false));  // a constant, not of a shape
  EXPECT_EQ(flags(3), std::pair(false, false));
}

TEST(Items, OperatorsOfRecordedOperationsAreAligned) {
  capture::Recording recording;
  recording.intern_op_name("aten.brand_new.default");
  const OperatorFilter is_aligned = emitted_operators(recording);
  EXPECT_TRUE(is_aligned("MatMul"));  // in the tables
  EXPECT_TRUE(is_aligned("BrandNew"));
  EXPECT_FALSE(is_aligned("SomethingElse"));
}

TEST(EmissionTable, AnotherOverloadOrTheNameDecidesForUnknownOperations) {
  const EmissionTable table("test", {{"aten.relu.default", {0.1f, 0.2f, {{"Relu", 1.0f}}}},
                                     {"aten.softmax.int", {0.1f, 0.2f, {{"Softmax", 1.0f}}}}});
  EXPECT_FLOAT_EQ(table.emission("aten.relu.other").skip_probability, 0.1f);
  const OpEmission by_name = table.emission("aten.log_softmax.int");
  EXPECT_GT(by_name.operators.at("Softmax"), by_name.operators.at("Relu"));
  EXPECT_TRUE(same_op_name("aten.hard_swish.default", "HardSwish"));
  EXPECT_FALSE(same_op_name("aten.swish.default", "HardSwish"));
}

}  // namespace
}  // namespace thence::match
