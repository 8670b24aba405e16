// What a model computes, in a form that rewrites preserve.
#include "dataflow/value_graph.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::dataflow {
namespace {

using test::graph;
using test::model;
using test::node;

TEST(ValueGraph, ShapeComputationsAreFoundWhateverTheOrderOfTheFile) {
  const test::ReadModel sorted(model(graph({node("Shape", {"x"}, {"s"}), node("Abs", {"s"}, {"a"}),
                                            node("Neg", {"a"}, {"n"}), node("Relu", {"x"}, {"y"})},
                                           {"x"}, {"n", "y"})));
  const test::ReadModel unsorted(model(graph({node("Neg", {"a"}, {"n"}), node("Abs", {"s"}, {"a"}),
                                              node("Shape", {"x"}, {"s"}), node("Relu", {"x"}, {"y"})},
                                             {"x"}, {"n", "y"})));
  OperatorIds operators;
  const ValueGraph one(sorted.model(), operators), other(unsorted.model(), operators);
  for (const onnx::NodeId id : {0u, 1u, 2u}) {
    EXPECT_TRUE(one.is_shape_or_constant(id)) << id;
    EXPECT_TRUE(other.is_shape_or_constant(id)) << id;
  }
  EXPECT_FALSE(one.is_shape_or_constant(3));
  EXPECT_FALSE(other.is_shape_or_constant(3));
}

TEST(ValueGraph, ACircleIsNoShapeComputation) {
  const test::ReadModel read(
      model(graph({node("Add", {"b", "s"}, {"a"}), node("Abs", {"a"}, {"b"}), node("Shape", {"x"}, {"s"})},
                  {"x"}, {"a"})));
  OperatorIds operators;
  const ValueGraph values(read.model(), operators);
  EXPECT_FALSE(values.is_shape_or_constant(0));
  EXPECT_FALSE(values.is_shape_or_constant(1));
  EXPECT_TRUE(values.is_shape_or_constant(2));
}

}  // namespace
}  // namespace thence::dataflow
