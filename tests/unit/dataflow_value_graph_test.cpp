// What a model computes, in a form that rewrites preserve.
#include "dataflow/value_graph.h"

#include <gtest/gtest.h>

#include "dataflow/noops.h"
#include "dataflow/scale_factors.h"
#include "graph_parts.h"

namespace thence::dataflow {
namespace {

using namespace test;

class ValueGraphTest : public testing::Test {
 protected:
  OperatorIds operators;

  GraphOf read(const Message& graph, WeightMatcher* reference = nullptr) {
    return GraphOf(graph, operators, reference);
  }
};

TEST_F(ValueGraphTest, ShapeComputationsAreFoundWhateverTheOrderOfTheFile) {
  const GraphOf sorted = read(graph({node("Shape", {"x"}, {"s"}), node("Abs", {"s"}, {"a"}),
                                     node("Neg", {"a"}, {"n"}), node("Relu", {"x"}, {"y"})},
                                    {"x"}, {"n", "y"}));
  const GraphOf unsorted = read(graph({node("Neg", {"a"}, {"n"}), node("Abs", {"s"}, {"a"}),
                                       node("Shape", {"x"}, {"s"}), node("Relu", {"x"}, {"y"})},
                                      {"x"}, {"n", "y"}));
  for (const onnx::NodeId id : {0u, 1u, 2u}) {
    EXPECT_TRUE(sorted.values.is_shape_or_constant(id)) << id;
    EXPECT_TRUE(unsorted.values.is_shape_or_constant(id)) << id;
  }
  EXPECT_FALSE(sorted.values.is_shape_or_constant(3));
  EXPECT_FALSE(unsorted.values.is_shape_or_constant(3));
}

TEST_F(ValueGraphTest, ACycleIsNoShapeComputation) {
  const GraphOf read_graph =
      read(graph({node("Add", {"b", "s"}, {"a"}), node("Abs", {"a"}, {"b"}), node("Shape", {"x"}, {"s"})},
                 {"x"}, {"a"}));
  EXPECT_FALSE(read_graph.values.is_shape_or_constant(0));
  EXPECT_FALSE(read_graph.values.is_shape_or_constant(1));
  EXPECT_TRUE(read_graph.values.is_shape_or_constant(2));
}

TEST_F(ValueGraphTest, ViewsAreFolded) {
  const GraphOf one = read(with_initializers(
      graph({node("Relu", {"x"}, {"a"}), node("Reshape", {"a", "shape"}, {"b"}), node("Cast", {"b"}, {"c"}),
             node("Mul", {"c", "half"}, {"d"}), node("Add", {"d", "zero"}, {"e"}),
             node("Concat", {"e"}, {"f"}), node("Exp", {"f"}, {"y"})},
            {"x"}, {"y"}),
      {integers("shape", {4, 2}), scalar("half", 0.5f), scalar("zero", 0)}));
  for (const char* name : {"b", "c", "d", "e", "f"}) EXPECT_EQ(one.name(one.canonical(name)), "a") << name;
  for (onnx::NodeId id = 1; id <= 5; ++id) EXPECT_TRUE(one.values.is_view(id)) << id;
  EXPECT_EQ(one.values.operations().size(), 2u);
  EXPECT_EQ(one.name(one.values.inputs(one.operation("y"))[0]), "a");
  EXPECT_EQ(one.values.uses(one.canonical("a")).size(), 1u);
  // Only the Reshape changes the shape.
  EXPECT_NE(one.values.view_hash(value_of(one.read.model(), "b")), 0u);
  EXPECT_EQ(one.values.view_hash(value_of(one.read.model(), "b")),
            one.values.view_hash(value_of(one.read.model(), "f")));
}

TEST_F(ValueGraphTest, OtherSumsAndQuotientsAreNoViews) {
  const GraphOf one =
      read(with_initializers(graph({node("Add", {"x", "half"}, {"a"}), node("Div", {"half", "x"}, {"b"}),
                                    node("Div", {"x", "half"}, {"c"}), node("Mul", {"x", "z"}, {"d"})},
                                   {"x", "z"}, {"a", "b", "c", "d"}),
                             {scalar("half", 0.5f)}));
  EXPECT_FALSE(one.values.is_view(0));
  EXPECT_FALSE(one.values.is_view(1));
  EXPECT_TRUE(one.values.is_view(2));
  EXPECT_FALSE(one.values.is_view(3));
  EXPECT_EQ(view_factor(one.values, 2), 2);
}

TEST_F(ValueGraphTest, FusedOperatorsAreSeveralOperations) {
  const GraphOf one = read(with_initializers(graph({node("Gemm", {"x", "w", "b"}, {"y"})}, {"x"}, {"y"}),
                                             {weight("w", 1), weight("b", 2, {4})}));
  ASSERT_EQ(one.values.operations().size(), 2u);
  EXPECT_EQ(one.values.operation(0).op, operators.id("MatMul"));
  EXPECT_EQ(one.values.operation(1).op, operators.id("Add"));
  EXPECT_TRUE(one.values.operation(1).is_commutative);
  const auto inputs = one.values.inputs(one.operation("y"));
  EXPECT_EQ(one.values.producer(inputs[0]), 0u);
  EXPECT_EQ(one.name(inputs[1]), "b");
  EXPECT_EQ(one.values.producer_node(one.canonical("y")), 0u);
}

TEST_F(ValueGraphTest, EachOutputIsAnOperationThatSharesItsInputs) {
  const GraphOf one = read(graph({node("TopK", {"x", "k"}, {"a", "b"})}, {"x", "k"}, {"a", "b"}));
  ASSERT_EQ(one.values.operations().size(), 2u);
  EXPECT_EQ(one.operation("b").output_index, 1u);
  EXPECT_EQ(one.operation("a").first_input, one.operation("b").first_input);
  EXPECT_EQ(one.values.uses(one.canonical("x")).size(), 1u);
}

TEST_F(ValueGraphTest, SlicesOfASplitAndASliceStartAtTheSameElement) {
  const GraphOf split =
      read(graph({with_ints(node("Split", {"x"}, {"a", "b"}), "split", {3, 5})}, {"x"}, {"a", "b"}));
  const GraphOf slice =
      read(with_initializers(graph({node("Slice", {"x", "from", "to"}, {"b"})}, {"x"}, {"b"}),
                             {integers("from", {3}), integers("to", {8})}));
  EXPECT_EQ(split.operation("a").slice_start, 0);
  EXPECT_EQ(split.operation("b").slice_start, 3);
  EXPECT_EQ(slice.operation("b").slice_start, 3);
  EXPECT_EQ(split.operation("b").op, slice.operation("b").op);
}

TEST_F(ValueGraphTest, MergedProjectionsAreSplitIfTheReferenceHasTheirWeights) {
  // [q | k], row by row.
  const GraphOf before = read(with_initializers(
      graph({node("MatMul", {"x", "q"}, {"a"}), node("MatMul", {"x", "k"}, {"b"})}, {"x"}, {"a", "b"}),
      {weight("q", 1, {8, 4}), weight("k", 2, {8, 4})}));
  const auto bytes_of = [&](std::string_view name) {
    return std::string(before.values.constant(before.canonical(name))->data);
  };
  const std::string q = bytes_of("q"), k = bytes_of("k");
  std::string both;
  for (std::size_t row = 0; row < 8; ++row) both += q.substr(row * 16, 16) + k.substr(row * 16, 16);
  const Message merged = Message()
                             .number(TensorField::dims, 8)
                             .number(TensorField::dims, 8)
                             .number(TensorField::data_type, 1)
                             .text(TensorField::raw_data, both)
                             .text(TensorField::name, "qk");
  const Message after = with_initializers(
      graph({node("MatMul", {"x", "qk"}, {"m"}), node("Split", {"m"}, {"a", "b"})}, {"x"}, {"a", "b"}),
      {merged});
  WeightMatcher reference(before.values.constants());
  const GraphOf split = read(after, &reference);
  EXPECT_EQ(split.operation("b").op, operators.id("MatMul"));
  EXPECT_EQ(split.values.constant(split.values.inputs(split.operation("b"))[1])->fingerprint,
            before.values.constant(before.canonical("k"))->fingerprint);
  const GraphOf unsplit = read(after);
  EXPECT_EQ(unsplit.operation("b").op, operators.id("Slice"));
}

TEST_F(ValueGraphTest, AWeightThatWasMultipliedHasTheFingerprintOfTheReference) {
  const Message nodes = graph({node("MatMul", {"x", "w"}, {"y"})}, {"x"}, {"y"});
  const GraphOf before = read(with_initializers(nodes, {weight("w", 1), weight("v", 3)}));
  std::string doubled(before.values.constant(before.canonical("w"))->data);
  for (std::size_t at = 0; at < doubled.size(); at += 4) {
    float value = 0;
    std::memcpy(&value, doubled.data() + at, 4);
    value *= 2;
    std::memcpy(doubled.data() + at, &value, 4);
  }
  const Message tensor = Message()
                             .number(TensorField::dims, 8)
                             .number(TensorField::dims, 4)
                             .number(TensorField::data_type, 1)
                             .text(TensorField::raw_data, doubled)
                             .text(TensorField::name, "w");
  WeightMatcher reference(before.values.constants());
  const GraphOf after = read(with_initializers(nodes, {tensor}), &reference);
  const Constant& weight = *after.values.constant(after.canonical("w"));
  EXPECT_EQ(weight.fingerprint, before.values.constant(before.canonical("w"))->fingerprint);
  EXPECT_TRUE(weight.is_changed);
  EXPECT_NEAR(product_factor(after.values, 0), 2, 1e-4);
  EXPECT_EQ(product_factor(before.values, 0), 1);
}

TEST_F(ValueGraphTest, QuantisationScalesAreFollowed) {
  const GraphOf one = read(with_initializers(
      graph({node("DynamicQuantizeLinear", {"x"}, {"q", "scale", "zero"}),
             node("MatMulInteger", {"q", "w"}, {"sum"}), node("Mul", {"scale", "w_scale"}, {"both"}),
             node("Cast", {"sum"}, {"real"}), node("Mul", {"real", "both"}, {"y"})},
            {"x", "w"}, {"y"}),
      {weight("w_scale", 5, {4})}));
  EXPECT_TRUE(one.values.is_quantisation_scale(value_of(one.read.model(), "both")));
  EXPECT_EQ(one.name(one.canonical("y")), "sum");
  EXPECT_EQ(one.name(one.canonical("q")), "x");
}

TEST_F(ValueGraphTest, QuantisedResultsMayBeClamped) {
  const GraphOf one = read(
      graph({node("Exp", {"x"}, {"a"}), node("QuantizeLinear", {"a", "s"}, {"q"}), node("Tan", {"x"}, {"b"})},
            {"x", "s"}, {"q", "b"}));
  EXPECT_TRUE(one.values.may_be_clamped(one.canonical("a")));
  EXPECT_FALSE(one.values.may_be_clamped(one.canonical("b")));
}

TEST_F(ValueGraphTest, NoopsForwardTheirInputIfTheRewrittenModelHasFewer) {
  Message before = graph({node("Slice", {"x", "from", "to"}, {"a"}), node("Exp", {"a"}, {"y"})}, {}, {"y"});
  before.inner(GraphField::input, shaped_input("x", {4, 2}));
  GraphOf full = read(with_initializers(before, {integers("from", {0}), integers("to", {4})}));
  GraphOf part = read(with_initializers(before, {integers("from", {0}), integers("to", {3})}));
  const GraphOf same = read(with_initializers(before, {integers("from", {0}), integers("to", {4})}));
  const GraphOf without = read(graph({node("Exp", {"x"}, {"y"})}, {"x"}, {"y"}));
  find_noops(full.values, same.values);
  EXPECT_EQ(full.operation("a").forwarded_input, none);
  find_noops(full.values, without.values);
  EXPECT_EQ(full.name(full.operation("a").forwarded_input), "x");
  EXPECT_EQ(full.name(full.values.skip_noops(full.canonical("a"))), "x");
  find_noops(part.values, without.values);
  EXPECT_EQ(part.operation("a").forwarded_input, none);
}

TEST_F(ValueGraphTest, AViewIsANoopIfTheShapesAreEqual) {
  Message one = graph({node("Reshape", {"x", "same"}, {"a"}), node("Reshape", {"x", "other"}, {"b"}),
                       node("Transpose", {"x"}, {"c"})},
                      {}, {"a", "b", "c"});
  one.inner(GraphField::input, shaped_input("x", {4, 4}));
  const GraphOf views = read(with_initializers(one, {integers("same", {4, 4}), integers("other", {2, 8})}));
  EXPECT_TRUE(is_noop_view(views.values, 0));
  EXPECT_FALSE(is_noop_view(views.values, 1));
  EXPECT_FALSE(is_noop_view(views.values, 2));  // the order changes
}

}  // namespace
}  // namespace thence::dataflow
