#include "evidence/part.h"

#include <gtest/gtest.h>

namespace thence::evidence {
namespace {

TEST(Part, FollowsFromTheOperator) {
  EXPECT_EQ(part_of_operator("", "Conv"), Part::compute);
  EXPECT_EQ(part_of_operator("com.microsoft.nchwc", "Conv"), Part::compute);
  EXPECT_EQ(part_of_operator("", "Relu"), Part::activation);
  EXPECT_EQ(part_of_operator("", "LayerNormalization"), Part::norm);
  EXPECT_EQ(part_of_operator("", "Add"), Part::arithmetic);
  EXPECT_EQ(part_of_operator("", "Transpose"), Part::layout);
  EXPECT_EQ(part_of_operator("acme", "Magic"), Part::other);
}

TEST(Part, IsReadBackFromItsName) {
  for (const Part part :
       {Part::other, Part::layout, Part::arithmetic, Part::norm, Part::activation, Part::compute})
    EXPECT_EQ(part_named(name_of(part)), part);
  EXPECT_EQ(part_named("unheard of"), Part::other);
}

}  // namespace
}  // namespace thence::evidence
