// Chains of views, and their alignment.
#include "transfer/view_chains.h"

#include <gtest/gtest.h>

#include "transfer_pair.h"

namespace thence::transfer {
namespace {

using namespace test;
using Nodes = std::vector<onnx::NodeId>;

constexpr std::size_t unaligned = ChainAlignment::unaligned;

Message transpose(std::string_view input, std::string_view output,
                  std::initializer_list<std::uint64_t> perm) {
  return with_ints(node("Transpose", {input}, {output}), "perm", perm);
}

class ViewChains : public testing::Test {
 protected:
  static Nodes chain(const GraphOf& graph, std::string_view value) {
    return view_chain(graph.values, value_of(graph.read.model(), value));
  }
  // Aligns the chains of views of the values "v".
  static ChainAlignment align(const ModelPair& pair) {
    return align_view_chains(pair.descendant.values, chain(pair.descendant, "v"), pair.ancestor.values,
                             chain(pair.ancestor, "v"));
  }
};

TEST_F(ViewChains, AreListedFromTheValueUpwards) {
  dataflow::OperatorIds operators;
  const GraphOf one(graph({node("Exp", {"x"}, {"a"}), node("Cast", {"a"}, {"b"}),
                           node("Transpose", {"b"}, {"c"}), node("Flatten", {"c"}, {"v"})},
                          {"x"}, {"v"}),
                    operators);
  EXPECT_EQ(chain(one, "v"), (Nodes{3, 2, 1}));
  EXPECT_EQ(chain(one, "a"), Nodes{});
}

TEST_F(ViewChains, ContinueAcrossRemovedNoops) {
  dataflow::OperatorIds operators;
  const GraphOf one(graph({node("Exp", {"x"}, {"a"}), node("Cast", {"a"}, {"b"}),
                           node("Slice", {"b", "f", "t"}, {"c"}), node("Transpose", {"c"}, {"v"})},
                          {"x", "f", "t"}, {"v"}),
                    operators);
  const RemovedNoops removed{{one.canonical("c"), one.canonical("a")}};
  const onnx::ValueId value = value_of(one.read.model(), "v");
  const ViewChain whole = view_chain(one.values, value, removed, one.canonical("a"));
  EXPECT_EQ(whole.views, (Nodes{3, 1}));
  EXPECT_EQ(one.name(whole.start), "a");
  const ViewChain part = view_chain(one.values, value, removed, one.canonical("c"));
  EXPECT_EQ(part.views, Nodes{3});
  EXPECT_EQ(one.name(part.start), "c");
}

TEST_F(ViewChains, AnInsertedViewHasAnEmptyGap) {
  const ModelPair pair(
      graph({node("Exp", {"x"}, {"a"}), node("Transpose", {"a"}, {"v"})}, {"x"}, {"v"}),
      graph({node("Exp", {"x"}, {"a"}), node("Cast", {"a"}, {"b"}), node("Transpose", {"b"}, {"v"})}, {"x"},
            {"v"}));
  const ChainAlignment alignment = align(pair);
  EXPECT_EQ(alignment.positions, (std::vector<std::size_t>{0, unaligned}));
  EXPECT_EQ(alignment.gaps[1], (std::pair<std::size_t, std::size_t>{1, 1}));
}

TEST_F(ViewChains, AReplacedViewStandsInTheGapOfTheOther) {
  const ModelPair pair(
      graph({node("Exp", {"x"}, {"a"}), node("Cast", {"a"}, {"b"}), node("Flatten", {"b"}, {"v"})}, {"x"},
            {"v"}),
      graph({node("Exp", {"x"}, {"a"}), node("Cast", {"a"}, {"b"}), node("Squeeze", {"b"}, {"v"})}, {"x"},
            {"v"}));
  const ChainAlignment alignment = align(pair);
  EXPECT_EQ(alignment.positions, (std::vector<std::size_t>{unaligned, 1}));
  EXPECT_EQ(alignment.gaps[0], (std::pair<std::size_t, std::size_t>{0, 1}));
  EXPECT_TRUE(are_interchangeable_reshapes(pair.descendant.values, 2, pair.ancestor.values, 2));
  EXPECT_FALSE(are_interchangeable_reshapes(pair.descendant.values, 1, pair.ancestor.values, 1));
}

TEST_F(ViewChains, TheSamePermutationIsPreferred) {
  // One of two transposes was removed. Either could be the remaining one but for its permutation.
  const ModelPair pair(
      graph({node("Exp", {"x"}, {"a"}), transpose("a", "b", {0, 2, 1}), transpose("b", "v", {2, 1, 0})},
            {"x"}, {"v"}),
      graph({node("Exp", {"x"}, {"a"}), transpose("a", "v", {0, 2, 1})}, {"x"}, {"v"}));
  EXPECT_EQ(align(pair).positions, std::vector<std::size_t>{1});
}

TEST_F(ViewChains, AReshapeKeepsTheRankOfItsShape) {
  const auto reshaped = [](std::vector<std::int64_t> shape) {
    return with_initializers(
        graph({node("Exp", {"x"}, {"a"}), node("Reshape", {"a", "s"}, {"v"})}, {"x"}, {"v"}),
        {integers("s", shape)});
  };
  const ModelPair same(reshaped({2, -1}), reshaped({4, 2})), other(reshaped({2, -1}), reshaped({2, 2, 2}));
  EXPECT_TRUE(may_be_same_view(same.descendant.values, 1, same.ancestor.values, 1));
  EXPECT_FALSE(may_be_same_view(other.descendant.values, 1, other.ancestor.values, 1));
}

TEST_F(ViewChains, AShapeOfSeveralSizesIsNoneOfThem) {
  // The exporter computes the shape, an optimiser replaces it by its sizes.
  const ModelPair pair(
      with_initializers(graph({node("Exp", {"x"}, {"a"}), node("Mul", {"two", "two"}, {"four"}),
                               node("Concat", {"four", "rest"}, {"s"}), node("Reshape", {"a", "s"}, {"v"})},
                              {"x"}, {"v"}),
                        {integers("two", {2}), integers("rest", {-1})}),
      with_initializers(graph({node("Exp", {"x"}, {"a"}), node("Reshape", {"a", "s"}, {"v"})}, {"x"}, {"v"}),
                        {integers("s", {4, 3})}));
  EXPECT_TRUE(may_be_same_view(pair.descendant.values, 1, pair.ancestor.values, 3));
}

TEST_F(ViewChains, TheSameSizesArePreferred) {
  // Two reshapes were merged into the second. Only its sizes tell: one shape has a -1, the other has none.
  Message before = graph({node("Exp", {"x"}, {"a"}), node("Reshape", {"a", "two"}, {"b"}),
                          node("Reshape", {"b", "four"}, {"v"})},
                         {}, {"v"}),
          after = graph({node("Exp", {"x"}, {"a"}), node("Reshape", {"a", "sizes"}, {"v"})}, {}, {"v"});
  for (Message* const each : {&before, &after}) each->inner(GraphField::input, shaped_input("x", {4, 4}));
  const ModelPair second(with_initializers(before, {integers("two", {2, -1}), integers("four", {8, -1})}),
                         with_initializers(after, {integers("sizes", {8, 2})}));
  EXPECT_EQ(align(second).positions, std::vector<std::size_t>{0});
  const ModelPair first(with_initializers(before, {integers("two", {2, -1}), integers("four", {8, -1})}),
                        with_initializers(after, {integers("sizes", {2, 8})}));
  EXPECT_EQ(align(first).positions, std::vector<std::size_t>{1});
}

TEST_F(ViewChains, ADequantisingProductIsNoScaleOfTheModel) {
  const ModelPair pair(
      with_initializers(graph({node("Exp", {"x"}, {"a"}), node("Mul", {"a", "c"}, {"v"})}, {"x"}, {"v"}),
                        {scalar("c", 2)}),
      graph({node("DynamicQuantizeLinear", {"x"}, {"q", "scale", "zero"}), node("Exp", {"q"}, {"a"}),
             node("Mul", {"a", "scale"}, {"v"})},
            {"x"}, {"v"}));
  ASSERT_TRUE(pair.ancestor.values.is_view(1));
  ASSERT_TRUE(pair.descendant.values.is_view(2));
  EXPECT_FALSE(may_be_same_view(pair.descendant.values, 2, pair.ancestor.values, 1));
}

TEST_F(ViewChains, OnlySurplusNoopsAreDropped) {
  Message made = graph({node("Reshape", {"x", "same"}, {"a"}), node("Reshape", {"a", "other"}, {"b"}),
                        node("Reshape", {"b", "other"}, {"v"})},
                       {}, {"v"});
  made.inner(GraphField::input, shaped_input("x", {4, 4}));
  dataflow::OperatorIds operators;
  const GraphOf one(with_initializers(made, {integers("same", {4, 4}), integers("other", {2, 8})}),
                    operators);
  const auto dropped = [&](std::size_t left) {
    Nodes views{2, 1, 0};
    drop_noop_views(one.values, views, left);
    return views;
  };
  EXPECT_EQ(dropped(3), (Nodes{2, 1, 0}));
  EXPECT_EQ(dropped(2), (Nodes{1, 0}));
  EXPECT_EQ(dropped(0), Nodes{1});  // the only one that is no no-op
}

}  // namespace
}  // namespace thence::transfer
