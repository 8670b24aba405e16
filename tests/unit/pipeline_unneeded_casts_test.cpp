#include "pipeline/unneeded_casts.h"

#include <gtest/gtest.h>

#include "ancestor_parts.h"
#include "graph_parts.h"

namespace thence::pipeline {
namespace {

using modules::ModuleId;
using test::answers_of;
using test::graph;
using test::node;
using test::with_initializers;
using test::with_int;
using transfer::Origin;
using transfer::OriginKind;

constexpr std::uint64_t float32 = 1, float16 = 10;

// A node of module 1, a cast that was inserted after it, and two readers of the cast. The model has a weight
// of 32 bits.
ModuleId module_of_cast(std::uint64_t type, ModuleId reader, ModuleId other_reader) {
  const test::Message file = with_initializers(
      graph({node("Mul", {"x", "w"}, {"a"}), with_int(node("Cast", {"a"}, {"b"}), "to", type),
             node("Relu", {"b"}, {"c"}), node("Erf", {"b"}, {"d"})},
            {"x"}, {"c", "d"}),
      {test::weight("w", 1)});
  const test::ReadModel read(test::model(file));
  evidence::AncestorAnswers answers = answers_of({1, 1, reader, other_reader});
  std::vector<Origin> origins(4, Origin{OriginKind::computes, transfer::Proof::inputs, {0}});
  origins[1].kind = OriginKind::inserted;
  settle_unneeded_casts(read.model(), origins, answers);
  return answers.modules_of(1).front();
}

TEST(UnneededCasts, BelongToTheirConsumers) { EXPECT_EQ(module_of_cast(float32, 2, 2), 2u); }

TEST(UnneededCasts, StayWhereTheConsumersDisagree) {
  EXPECT_EQ(module_of_cast(float32, 2, 3), 1u);
  EXPECT_EQ(module_of_cast(float32, 2, test::unmatched), 1u);
}

TEST(UnneededCasts, ACastToAnotherTypeIsNeeded) { EXPECT_EQ(module_of_cast(float16, 2, 2), 1u); }

}  // namespace
}  // namespace thence::pipeline
