// Each matcher by itself: what it matches, and what it must not.
#include "transfer/matchers.h"

#include <gtest/gtest.h>

#include <set>

#include "transfer_pair.h"

namespace thence::transfer {
namespace {

using namespace test;

TEST(Matchers, AreListedWithTheWorklistFirst) {
  std::set<std::string_view> names;
  bool is_sweep = false;
  for (const Matcher& matcher : matchers()) {
    EXPECT_TRUE(names.insert(matcher.name).second) << matcher.name;
    EXPECT_FALSE(matcher.needs.empty()) << matcher.name;
    EXPECT_NE(matcher.proof, Proof::not_proven) << matcher.name;
    is_sweep |= matcher.phase == Matcher::Phase::sweep;
    EXPECT_EQ(matcher.phase == Matcher::Phase::sweep, is_sweep) << matcher.name;
  }
  EXPECT_TRUE(is_sweep);
}

// --- noop ---

// y = Tan(Slice(x, from 0)): everything of x, or a part.
Message sliced(std::int64_t to) {
  Message found = graph({node("Slice", {"x", "from", "to"}, {"p"}), node("Tan", {"p"}, {"q"})}, {}, {"q"});
  found.inner(GraphField::input, shaped_input("x", {4, 2}));
  return with_initializers(found, {integers("from", {0}), integers("to", {to})});
}

TEST(MatchNoop, ASliceOfEverythingIsTheValueThatItForwards) {
  const Message plain = graph({node("Tan", {"x"}, {"b"})}, {"x"}, {"b"});
  MatchedPair pair(plain, sliced(4));
  EXPECT_TRUE(pair.run(match_noop, "p"));
  EXPECT_EQ(pair.partner("p"), "x");
  EXPECT_EQ(pair.proof("p"), Proof::forwarded);
  EXPECT_TRUE(pair.run(match_by_inputs, "q"));
  MatchedPair part(plain, sliced(3));
  EXPECT_FALSE(part.run(match_noop, "p"));
}

TEST(MatchNoop, NotAPartThatBeginsAtTheSameElement) {
  const auto first = [](std::string_view op) {
    return with_initializers(graph({node(op, {"x", "from"}, {"a"}), node("Tan", {"a"}, {"b"})}, {"x"}, {"b"}),
                             {integers("from", {0})});
  };
  const ModelPair pair(first("Gather"), sliced(4));
  EXPECT_EQ(pair.partner(pair.match(), "p"), "x");  // and not the result of the Gather
}

TEST(MatchNoop, NotIfTheAncestorHasItToo) {
  MatchedPair pair(sliced(4), sliced(4));
  EXPECT_FALSE(pair.run(match_noop, "p"));
}

// --- inputs ---

TEST(MatchByInputs, TheSameOperationOnMatchedInputs) {
  MatchedPair pair(graph({node("Exp", {"x"}, {"a"}), node("Tan", {"x"}, {"b"})}, {"x"}, {"a", "b"}),
                   graph({node("Tan", {"x"}, {"p"}), node("Neg", {"x"}, {"q"})}, {"x"}, {"p"}));
  EXPECT_TRUE(pair.run(match_by_inputs, "p"));
  EXPECT_EQ(pair.partner("p"), "b");
  EXPECT_EQ(pair.proof("p"), Proof::inputs);
  EXPECT_FALSE(pair.run(match_by_inputs, "q"));  // the ancestor has no Neg
}

TEST(MatchByInputs, TheOrderOfInputsCountsUnlessTheyCommute) {
  MatchedPair pair(
      graph({node("Sub", {"x", "z"}, {"a"}), node("Mul", {"x", "z"}, {"b"})}, {"x", "z"}, {"a", "b"}),
      graph({node("Sub", {"z", "x"}, {"p"}), node("Mul", {"z", "x"}, {"q"})}, {"x", "z"}, {"p", "q"}));
  EXPECT_FALSE(pair.run(match_by_inputs, "p"));
  EXPECT_TRUE(pair.run(match_by_inputs, "q"));
}

TEST(MatchByInputs, AttributesDecideBetweenSeveral) {
  const auto softmax = [](std::string_view output, std::uint64_t axis) {
    return with_int(node("Softmax", {"x"}, {output}), "axis", axis);
  };
  MatchedPair pair(graph({softmax("a", 1), softmax("b", 2)}, {"x"}, {"a", "b"}),
                   graph({softmax("p", 2), softmax("q", 3)}, {"x"}, {"p", "q"}));
  EXPECT_TRUE(pair.run(match_by_inputs, "p"));
  EXPECT_EQ(pair.partner("p"), "b");
  EXPECT_FALSE(pair.run(match_by_inputs, "q"));
}

TEST(MatchByInputs, NotWithoutInputs) {
  MatchedPair pair(graph({node("RandomNormal", {}, {"a"})}, {}, {"a"}),
                   graph({node("RandomNormal", {}, {"p"})}, {}, {"p"}));
  EXPECT_FALSE(pair.run(match_by_inputs, "p"));
}

// --- weight ---

const Message two_projections = with_initializers(
    graph({node("MatMul", {"u", "w"}, {"a"}), node("MatMul", {"u", "v"}, {"b"})}, {"u"}, {"a", "b"}),
    {weight("w", 1), weight("v", 2)});

TEST(MatchByWeight, TheOnlyOperationThatReadsIt) {
  MatchedPair pair(two_projections,
                   with_initializers(graph({node("MatMul", {"x", "renamed"}, {"p"})}, {"x"}, {"p"}),
                                     {weight("renamed", 2)}));
  EXPECT_TRUE(pair.run(match_by_weight, "p"));
  EXPECT_EQ(pair.partner("p"), "b");
  EXPECT_EQ(pair.proof("p"), Proof::weight);
}

TEST(MatchByWeight, NotOneOfSeveral) {
  const Message shared = with_initializers(
      graph({node("MatMul", {"u", "w"}, {"a"}), node("MatMul", {"z", "w"}, {"b"})}, {"u", "z"}, {"a", "b"}),
      {weight("w", 1)});
  MatchedPair pair(
      shared, with_initializers(graph({node("MatMul", {"x", "w"}, {"p"})}, {"x"}, {"p"}), {weight("w", 1)}));
  EXPECT_FALSE(pair.run(match_by_weight, "p"));
}

TEST(MatchByWeight, NotByAShortConstant) {
  const auto scaled = [](std::string_view input, std::string_view output) {
    return with_initializers(graph({node("Pow", {input, "c"}, {output})}, {input}, {output}),
                             {weight("c", 1, {3})});
  };
  MatchedPair pair(scaled("u", "a"), scaled("x", "p"));
  EXPECT_FALSE(pair.run(match_by_weight, "p"));
}

// --- consumers ---

TEST(MatchByConsumers, TheSameOperandByTheSameOperator) {
  MatchedPair pair(
      graph({node("Exp", {"u"}, {"a"}), node("Tan", {"u"}, {"b"}), node("Sub", {"a", "b"}, {"c"})}, {"u"},
            {"c"}),
      graph({node("Exp", {"x"}, {"p"}), node("Neg", {"x"}, {"q"}), node("Sub", {"p", "q"}, {"r"})}, {"x"},
            {"r"}));
  pair.add_match("r", "c");
  pair.run(match_by_consumers, "r");
  EXPECT_EQ(pair.partner("p"), "a");
  EXPECT_EQ(pair.proof("p"), Proof::consumers);
  EXPECT_EQ(pair.partner("q"), "none");  // another operator: only a hint
  EXPECT_EQ(pair.ancestor.name(pair.state.hint(pair.descendant.canonical("q"))), "b");
}

TEST(MatchByConsumers, TheRemainingOperandOfACommutativeOperation) {
  MatchedPair pair(graph({node("Exp", {"u"}, {"a"}), node("Add", {"a", "x"}, {"c"})}, {"u", "x"}, {"c"}),
                   graph({node("Exp", {"z"}, {"p"}), node("Add", {"x", "p"}, {"r"})}, {"z", "x"}, {"r"}));
  pair.add_match("r", "c");
  pair.run(match_by_consumers, "r");
  EXPECT_EQ(pair.partner("p"), "a");
}

TEST(MatchByConsumers, SeveralThatWereMerged) {
  MatchedPair pair(graph({node("Exp", {"u"}, {"a"}), node("Exp", {"v"}, {"b"}), node("Neg", {"a"}, {"c"}),
                          node("Abs", {"b"}, {"d"})},
                         {"u", "v"}, {"c", "d"}),
                   graph({node("Exp", {"x"}, {"p"}), node("Neg", {"p"}, {"r"}), node("Abs", {"p"}, {"s"})},
                         {"x"}, {"r", "s"}));
  pair.add_match("r", "c");
  pair.add_match("s", "d");
  pair.run(match_by_consumers, "r");
  pair.run(match_by_consumers, "s");
  const ValueMatching matching = pair.state.finish();
  ASSERT_TRUE(matching.merged.contains(pair.descendant.canonical("p")));
  EXPECT_EQ(pair.ancestor.name(matching.merged.at(pair.descendant.canonical("p")).front()), "b");
}

// --- hint ---

TEST(MatchByHint, EverythingBetweenWasFused) {
  MatchedPair pair(graph({node("Exp", {"x"}, {"a"}), node("Tan", {"a"}, {"y"})}, {"x"}, {"y"}),
                   graph({node("FusedExpTan", {"x"}, {"z"})}, {"x"}, {"z"}));  // outputs suggest each other
  EXPECT_TRUE(pair.run(match_by_hint, "z"));
  EXPECT_EQ(pair.partner("z"), "y");
  EXPECT_EQ(pair.proof("z"), Proof::region);
  const ValueMatching matching = pair.state.finish();
  EXPECT_EQ(pair.ops(matching.regions[matching.region_of[pair.descendant.canonical("z")]]),
            (std::vector<std::string>{"Tan", "Exp"}));
}

TEST(MatchByHint, OneOperationWasSplit) {
  MatchedPair pair(graph({node("ExpTan", {"x"}, {"y"})}, {"x"}, {"y"}),
                   graph({node("Exp", {"x"}, {"p"}), node("Tan", {"p"}, {"z"})}, {"x"}, {"z"}));
  EXPECT_TRUE(pair.run(match_by_hint, "z"));
  const ValueMatching matching = pair.state.finish();
  ASSERT_EQ(matching.splits.size(), 1u);
  EXPECT_EQ(ModelPair::ops_of(pair.descendant.values, matching.splits[0].second),
            (std::vector<std::string>{"Tan", "Exp"}));
}

TEST(MatchByHint, NotIfAnotherValueIsRead) {
  MatchedPair pair(graph({node("Exp", {"x"}, {"a"}), node("Mul", {"a", "u"}, {"y"})}, {"x", "u"}, {"y"}),
                   graph({node("Fused", {"x"}, {"z"})}, {"x"}, {"z"}));
  EXPECT_FALSE(pair.run(match_by_hint, "z"));
}

// --- weights of split and fused operations ---

const Message whole_norm = with_initializers(
    graph({node("LayerNormalization", {"x", "w", "b"}, {"n"}), node("Neg", {"n"}, {"y"})}, {"x"}, {"y"}),
    {weight("w", 1, {16}), weight("b", 2, {16})});
const Message norm_parts =
    with_initializers(graph({node("Standardize", {"x"}, {"s"}), node("Mul", {"s", "w"}, {"m"}),
                             node("Add", {"m", "b"}, {"n2"}), node("Abs", {"n2"}, {"z"})},
                            {"x"}, {"z"}),
                      {weight("w", 1, {16}), weight("b", 2, {16})});

TEST(MatchBySplitWeights, TheLastPart) {
  MatchedPair pair(whole_norm, norm_parts);
  EXPECT_FALSE(pair.run(match_by_split_weights, "m"));  // does not read the other weight
  EXPECT_TRUE(pair.run(match_by_split_weights, "n2"));
  EXPECT_EQ(pair.partner("n2"), "n");
  EXPECT_EQ(pair.proof("n2"), Proof::region);
}

TEST(MatchByFusedWeights, TheFusedOperation) {
  MatchedPair pair(norm_parts, whole_norm);
  EXPECT_TRUE(pair.run(match_by_fused_weights, "n"));
  EXPECT_EQ(pair.partner("n"), "n2");
}

TEST(MatchByFusedWeights, NotIfAWeightIsMissing) {
  MatchedPair pair(norm_parts, with_initializers(graph({node("ScaleNorm", {"x", "w"}, {"n"})}, {"x"}, {"n"}),
                                                 {weight("w", 1, {16})}));
  EXPECT_FALSE(pair.run(match_by_fused_weights, "n") && pair.partner("n") == "n2");
}

// --- name ---

TEST(MatchByName, WithAnInputOfTheSameName) {
  MatchedPair pair(graph({node("Foo", {"x"}, {"u"}), node("Exp", {"u"}, {"a"})}, {"x"}, {"a"}),
                   graph({node("Bar", {"x"}, {"u"}), node("Exp", {"u"}, {"a"})}, {"x"}, {"a"}));
  EXPECT_TRUE(pair.run(match_by_name, "a"));
  EXPECT_EQ(pair.proof("a"), Proof::name);
}

TEST(MatchByName, NotByTheNameAlone) {
  MatchedPair other_input(graph({node("Foo", {"x"}, {"u"}), node("Exp", {"u"}, {"a"})}, {"x"}, {"a"}),
                          graph({node("Bar", {"x"}, {"v"}), node("Exp", {"v"}, {"a"})}, {"x"}, {"a"}));
  EXPECT_FALSE(other_input.run(match_by_name, "a"));
  MatchedPair other_operator(graph({node("Exp", {"u"}, {"a"})}, {"u"}, {"a"}),
                             graph({node("Tan", {"u"}, {"a"})}, {"u"}, {"a"}));
  EXPECT_FALSE(other_operator.run(match_by_name, "a"));
}

TEST(MatchByName, NotIfAMatchedInputContradicts) {
  MatchedPair pair(graph({node("Add", {"x", "u"}, {"a"})}, {"x", "u", "z"}, {"a"}),
                   graph({node("Add", {"z", "u"}, {"a"})}, {"x", "u", "z"}, {"a"}));
  EXPECT_FALSE(pair.run(match_by_name, "a"));
}

// --- data inputs ---

TEST(MatchByDataInputs, TheOnlyOperationIfTheWeightWasChanged) {
  MatchedPair pair(
      with_initializers(graph({node("MatMul", {"x", "w"}, {"a"})}, {"x"}, {"a"}), {weight("w", 1)}),
      with_initializers(graph({node("MatMul", {"x", "v"}, {"p"})}, {"x"}, {"p"}), {weight("v", 9)}));
  EXPECT_FALSE(pair.run(match_by_inputs, "p"));
  EXPECT_TRUE(pair.run(match_by_data_inputs, "p"));
  EXPECT_EQ(pair.partner("p"), "a");
  EXPECT_EQ(pair.proof("p"), Proof::unique_remaining);
}

TEST(MatchByDataInputs, NotOneOfSeveral) {
  const Message two = with_initializers(
      graph({node("MatMul", {"x", "w"}, {"p"}), node("MatMul", {"x", "v"}, {"q"})}, {"x"}, {"p", "q"}),
      {weight("w", 8), weight("v", 9)});
  MatchedPair rival(
      with_initializers(graph({node("MatMul", {"x", "w"}, {"a"})}, {"x"}, {"a"}), {weight("w", 1)}), two);
  EXPECT_FALSE(rival.run(match_by_data_inputs, "p"));
  MatchedPair candidates(
      two, with_initializers(graph({node("MatMul", {"x", "w"}, {"a"})}, {"x"}, {"a"}), {weight("w", 1)}));
  EXPECT_FALSE(candidates.run(match_by_data_inputs, "a"));
}

// --- neighbours ---

TEST(MatchByNeighbours, TheOnlyOneThatTheMatchesAllow) {
  MatchedPair pair(
      graph({node("Tan", {"u"}, {"a"}), node("Exp", {"a"}, {"b"}), node("Neg", {"b"}, {"c"})}, {"u"}, {"c"}),
      graph({node("Tan", {"x"}, {"p"}), node("Exp", {"p"}, {"q"}), node("Neg", {"q"}, {"r"})}, {"x"}, {"r"}));
  EXPECT_FALSE(pair.run(match_by_neighbours, "q"));
  pair.add_match("r", "c");
  EXPECT_TRUE(pair.run(match_by_neighbours, "q"));
  EXPECT_EQ(pair.partner("q"), "b");
  EXPECT_EQ(pair.proof("q"), Proof::neighbours);
}

TEST(MatchByNeighbours, NotOneOfSeveral) {
  const auto both = [](std::string_view input) {
    return graph(
        {node("Exp", {input}, {"a"}), node("Exp", {input}, {"b"}), node("Concat", {"a", "b"}, {"c"})},
        {input}, {"c"});
  };
  MatchedPair pair(both("u"), both("x"));
  pair.add_match("c", "c");
  EXPECT_FALSE(pair.run(match_by_neighbours, "a"));
}

TEST(MatchByNeighbours, NotIfAnotherOperationIsAsLikely) {
  MatchedPair pair(
      graph({node("Tan", {"u"}, {"a"}), node("Exp", {"a"}, {"b"}), node("Sub", {"b", "x"}, {"c"})},
            {"u", "x"}, {"c"}),
      graph({node("Tan", {"z"}, {"p"}), node("Exp", {"p"}, {"q"}), node("Exp", {"p"}, {"r"}),
             node("Sub", {"q", "r"}, {"s"})},
            {"z", "x"}, {"s"}));
  pair.add_match("s", "c");
  EXPECT_FALSE(pair.run(match_by_neighbours, "q"));
}

}  // namespace
}  // namespace thence::transfer
