// All matchers together: which value of the ancestor each value is.
#include <gtest/gtest.h>

#include "transfer/merged_values.h"
#include "transfer_pair.h"

namespace thence::transfer {
namespace {

using namespace test;

TEST(MatchValues, AllNamesChangedAndViewsInserted) {
  const ModelPair pair(
      with_initializers(graph({node("MatMul", {"x", "w"}, {"a"}), node("Relu", {"a"}, {"b"}),
                               node("MatMul", {"b", "v"}, {"c"}), node("Tanh", {"c"}, {"y"})},
                              {"x"}, {"y"}),
                        {weight("w", 1, {4, 4}), weight("v", 2, {4, 4})}),
      with_initializers(graph({node("Cast", {"x"}, {"0"}), node("MatMul", {"0", "i"}, {"1"}),
                               node("Relu", {"1"}, {"2"}), node("Transpose", {"2"}, {"3"}),
                               node("MatMul", {"3", "j"}, {"4"}), node("Tanh", {"4"}, {"5"})},
                              {"x"}, {"5"}),
                        {weight("i", 1, {4, 4}), weight("j", 2, {4, 4})}));
  const ValueMatching matching = pair.match();
  EXPECT_EQ(pair.partner(matching, "1"), "a");
  EXPECT_EQ(pair.partner(matching, "3"), "b");  // a view of it
  EXPECT_EQ(pair.partner(matching, "4"), "c");
  EXPECT_EQ(pair.partner(matching, "5"), "y");
}

TEST(MatchValues, AWeightOutranksAName) {
  // The names of two projections were swapped.
  const auto projections = [](std::string_view first, std::string_view second) {
    return with_initializers(graph({node("MatMul", {"x", "w"}, {first}), node("MatMul", {"x", "v"}, {second}),
                                    node("Sub", {first, second}, {"y"})},
                                   {"x"}, {"y"}),
                             {weight("w", 1), weight("v", 2)});
  };
  const ModelPair pair(projections("a", "b"), projections("b", "a"));
  const ValueMatching matching = pair.match();
  EXPECT_EQ(pair.partner(matching, "b"), "a");
  EXPECT_EQ(pair.partner(matching, "a"), "b");
}

TEST(MatchValues, UnrelatedOperationsHaveNoPartner) {
  const ModelPair pair(
      graph({node("Exp", {"x"}, {"a"})}, {"x"}, {"a"}),
      graph({node("Exp", {"x"}, {"p"}), node("Sin", {"p"}, {"q"}), node("Cos", {"q"}, {"r"})}, {"x"},
            {"p", "r"}));
  const ValueMatching matching = pair.match();
  EXPECT_EQ(pair.partner(matching, "p"), "a");
  EXPECT_EQ(pair.partner(matching, "q"), "none");
  EXPECT_EQ(pair.partner(matching, "r"), "none");
}

TEST(MatchValues, AMatchOfASweepLetsTheWorklistContinue) {
  // The changed weight hides the projection from the worklist. What reads it is found by its inputs
  // afterwards.
  const ModelPair pair(
      with_initializers(graph({node("MatMul", {"x", "w"}, {"a"}), node("Exp", {"a"}, {"b"})}, {"x"}, {"b"}),
                        {weight("w", 1)}),
      with_initializers(
          graph({node("MatMul", {"x", "w"}, {"p"}), node("Exp", {"p"}, {"q"}), node("Neg", {"q"}, {"r"})},
                {"x"}, {"r", "p"}),
          {weight("w", 7)}));
  const ValueMatching matching = pair.match();
  EXPECT_EQ(matching.proofs[pair.descendant.canonical("p")], Proof::unique_remaining);
  EXPECT_EQ(pair.partner(matching, "q"), "b");
  EXPECT_EQ(matching.proofs[pair.descendant.canonical("q")], Proof::inputs);
}

TEST(MatchValues, ARemovedNoopIsSkipped) {
  Message before =
      graph({node("Exp", {"x"}, {"a"}), node("Slice", {"a", "from", "to"}, {"b"}), node("Sin", {"b"}, {"y"})},
            {}, {"y"});
  before.inner(GraphField::input, shaped_input("x", {4, 2}));
  const ModelPair pair(with_initializers(before, {integers("from", {0}), integers("to", {4})}),
                       graph({node("Exp", {"x"}, {"p"}), node("Sin", {"p"}, {"q"})}, {"x"}, {"q"}));
  const ValueMatching matching = pair.match();
  EXPECT_EQ(pair.partner(matching, "p"), "a");
  EXPECT_EQ(pair.partner(matching, "q"), "y");
}

TEST(MatchValues, AnActivationThatQuantisationReplacesIsPartOfTheOperation) {
  const ModelPair pair(
      graph({node("Exp", {"x"}, {"a"}), node("Relu", {"a"}, {"b"}), node("Sin", {"b"}, {"y"})}, {"x"}, {"y"}),
      graph({node("Exp", {"x"}, {"p"}), node("QuantizeLinear", {"p", "s"}, {"q"}), node("Sin", {"q"}, {"r"})},
            {"x", "s"}, {"r"}));
  const ValueMatching matching = pair.match();
  EXPECT_EQ(pair.partner(matching, "p"), "b");
  EXPECT_EQ(matching.proofs[pair.descendant.canonical("p")], Proof::region);
}

TEST(MergedValues, UsesDecideBetweenEqualExpressions) {
  const ModelPair pair(graph({node("Exp", {"x"}, {"a"}), node("Exp", {"x"}, {"b"}), node("Sin", {"a"}, {"s"}),
                              node("Cos", {"b"}, {"c"})},
                             {"x"}, {"s", "c"}),
                       graph({node("Exp", {"x"}, {"p"}), node("Cos", {"p"}, {"q"})}, {"x"}, {"q"}));
  const ValueMatching matching = pair.match();
  const MergedValues merged(pair.ancestor.values, pair.descendant.values, matching);
  EXPECT_EQ(pair.ancestor.name(merged.chosen(pair.descendant.canonical("p"))), "b");
  EXPECT_FALSE(merged.is_ambiguous(pair.descendant.canonical("p")));
}

TEST(MergedValues, WithoutUsesTheyAreAmbiguous) {
  const ModelPair pair(graph({node("Exp", {"x"}, {"a"}), node("Exp", {"x"}, {"b"})}, {"x"}, {"a", "b"}),
                       graph({node("Exp", {"x"}, {"p"})}, {"x"}, {"p"}));
  const ValueMatching matching = pair.match();
  const MergedValues merged(pair.ancestor.values, pair.descendant.values, matching);
  EXPECT_TRUE(merged.is_ambiguous(pair.descendant.canonical("p")));
  EXPECT_EQ(merged.others(pair.descendant.canonical("p")).size(), 1u);
}

TEST(MergedValues, AfterAMergeItIsEachOfThem) {
  const ModelPair pair(
      graph({node("Exp", {"x"}, {"a"}), node("Exp", {"x"}, {"b"}), node("Sin", {"a"}, {"s"}),
             node("Cos", {"b"}, {"c"})},
            {"x"}, {"s", "c"}),
      graph({node("Exp", {"x"}, {"b"}), node("Sin", {"b"}, {"s"}), node("Cos", {"b"}, {"c"})}, {"x"},
            {"s", "c"}));
  const ValueMatching matching = pair.match();
  const MergedValues merged(pair.ancestor.values, pair.descendant.values, matching);
  EXPECT_EQ(pair.ancestor.name(merged.chosen(pair.descendant.canonical("b"))), "b");  // its name survived
  EXPECT_EQ(merged.others(pair.descendant.canonical("b")).size(), 2u);
}

}  // namespace
}  // namespace thence::transfer
