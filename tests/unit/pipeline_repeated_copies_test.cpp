#include "pipeline/repeated_copies.h"

#include <gtest/gtest.h>

#include "ancestor_parts.h"
#include "graph_parts.h"

namespace thence::pipeline {
namespace {

using modules::ModuleId;
using test::graph;
using test::node;
using transfer::Origin;
using transfer::OriginKind;

// The ancestor computes a mask once, in `a`, and adds it in both layers.
class RepeatedCopies : public testing::Test {
 protected:
  modules::ModuleTree tree;
  const ModuleId a = tree.add("a"), b = tree.add("b"), a_inner = tree.add("a.inner"),
                 b_inner = tree.add("b.inner"), deeper = tree.add("b.inner.core");
  const test::ReadModel ancestor{test::model(graph(
      {node("Where", {"m"}, {"mask"}), node("Add", {"x", "mask"}, {"p"}), node("Add", {"p", "mask"}, {"q"})},
      {"m", "x"}, {"q"}))};
  // The derived model computes the mask again for the second layer, from the shape of its input. An exporter
  // inserted a view after this second mask.
  const test::ReadModel derived{
      test::model(graph({node("Where", {"m"}, {"mask"}), node("Add", {"x", "mask"}, {"p"}),
                         node("Shape", {"m"}, {"s"}), node("Where", {"m", "s"}, {"again"}),
                         node("Expand", {"again"}, {"wide"}), node("Add", {"p", "wide"}, {"q"})},
                        {"m", "x"}, {"q"}))};
  std::vector<Origin> origins{{OriginKind::computes, transfer::Proof::inputs, {0}},
                              {OriginKind::computes, transfer::Proof::inputs, {1}},
                              {OriginKind::feeds, transfer::Proof::not_proven, {0}},
                              {OriginKind::computes, transfer::Proof::inputs, {0}},
                              {OriginKind::inserted, transfer::Proof::inputs, {0}},
                              {OriginKind::computes, transfer::Proof::inputs, {2}}};

  // The modules of the shape, of the second mask, and of the view after it.
  std::vector<ModuleId> modules_after(ModuleId mask, ModuleId first_consumer, ModuleId second_consumer) {
    evidence::AncestorAnswers answers =
        test::answers_of({mask, first_consumer, mask, mask, mask, second_consumer});
    answers.tree = &tree;
    answers.model = &ancestor.model();
    settle_repeated_copies(derived.model(), origins, answers);
    EXPECT_EQ(answers.modules_of(0).front(), mask);
    return {answers.modules_of(2).front(), answers.modules_of(3).front(), answers.modules_of(4).front()};
  }
};

TEST_F(RepeatedCopies, BelongToTheModuleOfTheirConsumers) {
  EXPECT_EQ(modules_after(a_inner, a_inner, b_inner), std::vector(3, b_inner));
}

TEST_F(RepeatedCopies, AreAsFarAboveTheirConsumersAsTheFirst) {
  EXPECT_EQ(modules_after(a, a_inner, b_inner), std::vector(3, b));
}

TEST_F(RepeatedCopies, StayIfTheConsumersLieAtAnotherDepth) {
  EXPECT_EQ(modules_after(a, a_inner, deeper), std::vector(3, a));
  EXPECT_EQ(modules_after(a, b_inner, b_inner), std::vector(3, a));
  EXPECT_EQ(modules_after(a, a_inner, test::unmatched), std::vector(3, a));
}

TEST_F(RepeatedCopies, PartsOfOneNodeAreNoCopies) {
  origins[3].nodes = {1};  // an addition
  EXPECT_EQ(modules_after(a_inner, a_inner, b_inner), std::vector(3, a_inner));
}

}  // namespace
}  // namespace thence::pipeline
