// A model as what it computes.
#include "transfer/net.h"

#include <gtest/gtest.h>

#include "onnx_parts.h"

namespace thence::transfer {
namespace {

using test::graph;
using test::model;
using test::node;

TEST(Net, ShapeComputationsAreFoundWhateverTheOrderOfTheFile) {
  const test::ReadModel sorted(model(graph({node("Shape", {"x"}, {"s"}), node("Abs", {"s"}, {"a"}),
                                            node("Neg", {"a"}, {"n"}), node("Relu", {"x"}, {"y"})},
                                           {"x"}, {"n", "y"})));
  const test::ReadModel unsorted(model(graph({node("Neg", {"a"}, {"n"}), node("Abs", {"s"}, {"a"}),
                                              node("Shape", {"x"}, {"s"}), node("Relu", {"x"}, {"y"})},
                                             {"x"}, {"n", "y"})));
  Operators operators;
  const Net one(sorted.model(), operators), other(unsorted.model(), operators);
  for (const onnx::NodeId id : {0u, 1u, 2u}) {
    EXPECT_TRUE(one.is_aside(id)) << id;
    EXPECT_TRUE(other.is_aside(id)) << id;
  }
  EXPECT_FALSE(one.is_aside(3));
  EXPECT_FALSE(other.is_aside(3));
}

TEST(Net, ACircleIsNoShapeComputation) {
  const test::ReadModel read(
      model(graph({node("Add", {"b", "s"}, {"a"}), node("Abs", {"a"}, {"b"}), node("Shape", {"x"}, {"s"})},
                  {"x"}, {"a"})));
  Operators operators;
  const Net net(read.model(), operators);
  EXPECT_FALSE(net.is_aside(0));
  EXPECT_FALSE(net.is_aside(1));
  EXPECT_TRUE(net.is_aside(2));
}

}  // namespace
}  // namespace thence::transfer
