// Names that survived a rewrite, whole or derived.
#include <gtest/gtest.h>

#include "onnx_parts.h"
#include "transfer/value_names.h"

namespace thence::transfer {
namespace {

using test::body;
using test::graph;
using test::model;
using test::node;

class ValueNamesTest : public testing::Test {
 protected:
  std::string before = model(graph({node("Relu", {"x"}, {"a"}), node("TopK", {"a"}, {"b", "c"}),
                                    node("If", {"x"}, {"d"})
                                        .inner(onnx::NodeField::attribute,
                                               body("then_branch", graph({node("Neg", {"x"}, {"e"})}))),
                                    node("If", {"x"}, {"f"})
                                        .inner(onnx::NodeField::attribute,
                                               body("then_branch", graph({node("Abs", {"x"}, {"e"})})))},
                                   {"x"}, {"d"}))
                           .bytes();
  std::string after =
      model(graph({node("Relu", {"x"}, {"a"}), node("QuantizeLinear", {"a"}, {"a_QuantizeLinear_Output"}),
                   node("TopK", {"a"}, {"b", "c"}), node("Abs", {"x"}, {"e"}), node("Exp", {"x"}, {"new"})},
                  {"x"}, {"e"}))
          .bytes();
  Diagnostics diagnostics;
  Result<onnx::Model> ancestor = onnx::Model::read(before, "before.onnx", diagnostics);
  Result<onnx::Model> descendant = onnx::Model::read(after, "after.onnx", diagnostics);
  ValueNames names{*ancestor, *descendant};

  onnx::ValueId made(onnx::NodeId node, std::size_t output = 0) {
    return descendant->node(node).outputs()[output];
  }
  std::string theirs(onnx::ValueId value) {
    return value == none ? "none" : std::string(ancestor->value_name(value));
  }
};

TEST_F(ValueNamesTest, OfValuesThatNodesWrite) {
  EXPECT_EQ(theirs(names.value_of_same_name(made(0))), "a");
  EXPECT_EQ(theirs(names.value_of_same_name(made(2, 1))), "c");
  EXPECT_EQ(theirs(names.value_of_same_name(made(4))), "none");
}

TEST_F(ValueNamesTest, ThatTwoBodiesUseAreAmbiguous) {
  EXPECT_EQ(theirs(names.value_of_same_name(made(3))), "none");
}

TEST_F(ValueNamesTest, MayBeDerived) {
  EXPECT_EQ(theirs(names.value_of_same_name(made(1))), "none");
  EXPECT_EQ(theirs(names.value_of_same_or_derived_name(made(1))), "a");
}

TEST_F(ValueNamesTest, OfASecondOutputDoNotNameTheNode) {
  EXPECT_EQ(names.producer_of_same_name(made(2)), 1u);
  EXPECT_EQ(names.producer_of_same_name(made(2, 1)), none);
}

}  // namespace
}  // namespace thence::transfer
