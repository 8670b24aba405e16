// The numbers of `diff --stat`.
#include "diff/stat_builder.h"

#include <gtest/gtest.h>

namespace thence::diff {
namespace {

TEST(PathAtDepth, KeepsThatManyLevels) {
  EXPECT_EQ(path_at_depth("a.b.c", std::nullopt), "a.b.c");
  EXPECT_EQ(path_at_depth("a.b.c", 0), "");
  EXPECT_EQ(path_at_depth("a.b.c", 1), "a");
  EXPECT_EQ(path_at_depth("a.b.c", 2), "a.b");
  EXPECT_EQ(path_at_depth("a.b.c", 3), "a.b.c");
  EXPECT_EQ(path_at_depth("a.b.c", 4), "a.b.c");
  EXPECT_EQ(path_at_depth("", 2), "");
}

TEST(RelativeChange, IsTheQuotientOfTheNorms) {
  StatRow row{.weights = 1, .changed = 1, .norm = 4, .change = 1};
  EXPECT_EQ(row.relative_change(), 0.5);
  row.change = 0;
  EXPECT_EQ(row.relative_change(), 0);
  row.norm = 0;
  EXPECT_EQ(row.relative_change(), 0);
  row.change = 1;
  EXPECT_FALSE(row.relative_change());  // infinite
  row.unmeasured = 1;
  EXPECT_FALSE(row.relative_change());
}

}  // namespace
}  // namespace thence::diff
