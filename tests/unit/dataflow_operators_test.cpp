// The tables of operators.
#include <gtest/gtest.h>

#include "dataflow/operator_traits.h"
#include "dataflow/primitive_ops.h"
#include "onnx_parts.h"

namespace thence::dataflow {
namespace {

using test::graph;
using test::model;
using test::node;

TEST(OperatorTraits, OfListedOperators) {
  EXPECT_TRUE(has_trait("Cast", Trait::keeps_elements));
  EXPECT_FALSE(has_trait("Cast", Trait::reshapes));
  EXPECT_TRUE(has_trait("Transpose", Trait::reshapes));
  EXPECT_FALSE(has_trait("Transpose", Trait::regroups));  // the order of the elements changes
  EXPECT_TRUE(has_trait("Add", Trait::commutative));
  EXPECT_FALSE(has_trait("Sub", Trait::commutative));
  EXPECT_TRUE(has_trait("Shape", Trait::reads_shape));
}

TEST(OperatorTraits, OfOthersAreEmpty) {
  EXPECT_FALSE(is_view(traits_of("MatMul")));
  EXPECT_FALSE(has_trait("", Trait::may_clamp));
  EXPECT_FALSE(has_trait("Linear", Trait::may_clamp));
}

TEST(OperatorTraits, QuantisedOperatorsMayClamp) {
  EXPECT_TRUE(has_trait("QLinearConv", Trait::may_clamp));
  EXPECT_TRUE(has_trait("QLinearOfTomorrow", Trait::may_clamp));
  EXPECT_FALSE(has_trait("DequantizeLinear", Trait::may_clamp));
}

TEST(OperatorTraits, EveryViewKeepsItsElements) {
  for (const char* op : {"Reshape", "Squeeze", "Unsqueeze", "Flatten"}) {
    EXPECT_TRUE(is_view(traits_of(op))) << op;
    EXPECT_TRUE(has_trait(op, Trait::regroups)) << op;
  }
}

TEST(Quantised, ByName) {
  for (const char* op :
       {"QLinearConv", "MatMulInteger", "DynamicQuantizeLinear", "MatMulNBits", "QAttention"})
    EXPECT_TRUE(is_quantised(op)) << op;
  for (const char* op : {"MatMul", "Attention", "QuickGelu"}) EXPECT_FALSE(is_quantised(op)) << op;
}

class Primitives : public testing::Test {
 protected:
  static std::string text(const test::Message& one) {
    const test::ReadModel read(model(graph({one})));
    std::string text;
    for (const PrimitiveOp& primitive : primitives_of(read.model().node(0))) {
      text += std::string(text.empty() ? "" : " ") + std::string(primitive.op) + "(";
      for (std::size_t i = 0; i < primitive.input_count(); ++i)
        text += (i > 0 ? "," : "") +
                (primitive.input(i) == PrimitiveOp::previous ? "^" : std::to_string(primitive.input(i)));
      text += ")";
    }
    EXPECT_EQ(last_primitive(read.model().node(0)), primitives_of(read.model().node(0)).back().op);
    return text;
  }
};

TEST_F(Primitives, OfAnOrdinaryNode) { EXPECT_EQ(text(node("Relu", {"x"}, {"y"})), "Relu(0)"); }

TEST_F(Primitives, OfFusedNodes) {
  EXPECT_EQ(text(node("Gemm", {"x", "w", "b"}, {"y"})), "MatMul(0,1) Add(^,2)");
  EXPECT_EQ(text(node("SkipLayerNormalization", {"x", "skip", "g", "b", "bias"}, {"y"})),
            "Add(0,4) Add(^,1) LayerNormalization(^,2,3)");
  EXPECT_EQ(text(node("QuickGelu", {"x"}, {"y"})), "Sigmoid(0) Mul(^,0)");
}

TEST_F(Primitives, AbsentInputsLeaveOperationsOut) {
  EXPECT_EQ(text(node("Gemm", {"x", "w"}, {"y"})), "MatMul(0,1)");
  EXPECT_EQ(text(node("SkipLayerNormalization", {"x", "skip", "g", "b"}, {"y"})),
            "Add(0,1) LayerNormalization(^,2,3)");
  EXPECT_EQ(text(node("FastGelu", {"x"}, {"y"})), "Gelu(0)");
}

TEST_F(Primitives, QuantisedOnesWithoutScalesAndZeroPoints) {
  EXPECT_EQ(text(node("QLinearMatMul", {"a", "as", "az", "b", "bs", "bz", "ys", "yz"}, {"y"})),
            "MatMul(0,3)");
  EXPECT_EQ(text(node("QLinearConcat", {"s", "z", "a", "as", "az", "b", "bs", "bz"}, {"y"})), "Concat(2,5)");
}

}  // namespace
}  // namespace thence::dataflow
