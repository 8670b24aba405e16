// Operations that were fused into one, and operations that were split.
#include "transfer/regions.h"

#include <gtest/gtest.h>

#include "transfer_pair.h"

namespace thence::transfer {
namespace {

using namespace test;

const Message gelu = graph(
    {node("Erf", {"x"}, {"e"}), node("Tan", {"x"}, {"t"}), node("Mul", {"e", "t"}, {"y"})}, {"x"}, {"y"});
const Message fused_gelu = graph({node("Gelu", {"x"}, {"z"})}, {"x"}, {"z"});

TEST(Regions, AllOperationsBetweenTheInputsAndTheEndAreFused) {
  MatchedPair pair(gelu, fused_gelu);
  const auto region =
      pair.state.regions().find_fused_region(pair.descendant.operation("z"), pair.ancestor.canonical("y"));
  ASSERT_TRUE(region);
  EXPECT_EQ(pair.ops(*region), (std::vector<std::string>{"Mul", "Erf", "Tan"}));
}

TEST(Regions, AMatchedValueInsideIsNoPartOfARegion) {
  MatchedPair pair(gelu, graph({node("Gelu", {"x"}, {"z"}), node("Erf", {"x"}, {"f"})}, {"x"}, {"z", "f"}));
  pair.add_match("f", "e");
  EXPECT_FALSE(
      pair.state.regions().find_fused_region(pair.descendant.operation("z"), pair.ancestor.canonical("y")));
}

TEST(Regions, EveryInputMustBeNeeded) {
  MatchedPair pair(graph({node("Exp", {"x"}, {"y"})}, {"x", "u"}, {"y"}),
                   graph({node("Fused", {"x", "u"}, {"z"})}, {"x", "u"}, {"z"}));
  EXPECT_FALSE(
      pair.state.regions().find_fused_region(pair.descendant.operation("z"), pair.ancestor.canonical("y")));
}

TEST(Regions, InputsThatAreNotMatchedLimitNothing) {
  MatchedPair pair(gelu, graph({node("Sin", {"x"}, {"s"}), node("Gelu", {"s"}, {"z"})}, {"x"}, {"z"}));
  EXPECT_FALSE(
      pair.state.regions().find_fused_region(pair.descendant.operation("z"), pair.ancestor.canonical("y")));
}

TEST(Regions, ARegionHasALimit) {
  const auto chain = [](std::size_t length) {
    Message made;
    for (std::size_t i = 0; i < length; ++i)
      made.inner(GraphField::node, Message()
                                       .text(NodeField::input, i == 0 ? "x" : "v" + std::to_string(i))
                                       .text(NodeField::output, "v" + std::to_string(i + 1))
                                       .text(NodeField::op_type, "Sin"));
    made.inner(GraphField::input, value_info("x"));
    return made.inner(GraphField::output, value_info("v" + std::to_string(length)));
  };
  for (const std::size_t length : {max_region, max_region + 2}) {
    MatchedPair pair(chain(length), fused_gelu);
    const auto region = pair.state.regions().find_fused_region(
        pair.descendant.operation("z"), pair.ancestor.canonical("v" + std::to_string(length)));
    EXPECT_EQ(region.has_value(), length == max_region) << length;
  }
}

TEST(Regions, TheOperationsThatOneWasSplitInto) {
  MatchedPair pair(fused_gelu, gelu);
  const auto parts =
      pair.state.regions().find_split_parts(pair.descendant.operation("y"), pair.ancestor.canonical("z"));
  ASSERT_TRUE(parts);
  EXPECT_EQ(ModelPair::ops_of(pair.descendant.values, *parts),
            (std::vector<std::string>{"Mul", "Erf", "Tan"}));
}

TEST(Regions, ANodeWithSeveralOutputsIsNoPart) {
  MatchedPair pair(fused_gelu,
                   graph({node("Split", {"x"}, {"e", "t"}), node("Mul", {"e", "t"}, {"y"})}, {"x"}, {"y"}));
  EXPECT_FALSE(
      pair.state.regions().find_split_parts(pair.descendant.operation("y"), pair.ancestor.canonical("z")));
}

}  // namespace
}  // namespace thence::transfer
