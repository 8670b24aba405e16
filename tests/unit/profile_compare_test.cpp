#include "profile/compare.h"

#include <gtest/gtest.h>

#include "profile/thresholds.h"

namespace thence::profile {
namespace {

TEST(Percentile, InterpolatesBetweenNeighbours) {
  std::vector<double> numbers = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(percentile(numbers, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(percentile(numbers, 0), 1);
  EXPECT_DOUBLE_EQ(percentile(numbers, 1), 4);
  std::vector<double> one = {7};
  EXPECT_DOUBLE_EQ(percentile(one, 0.9), 7);
}

TEST(Bootstrap, ExcludesZeroForAClearDifference) {
  const std::vector<double> before = {10, 11, 10, 12, 11, 10, 11}, after = {5, 6, 5, 5, 6, 5, 6};
  const Interval interval = bootstrap_difference(before, after);
  EXPECT_LT(interval.high, 0);
  EXPECT_GE(interval.low, -7);
}

TEST(Bootstrap, IncludesZeroForTheSameRuns) {
  const std::vector<double> runs = {10, 14, 9, 12, 11, 30, 11};
  const Interval interval = bootstrap_difference(runs, runs);
  EXPECT_LE(interval.low, 0);
  EXPECT_GE(interval.high, 0);
}

TEST(Bootstrap, IsTheSameEachTime) {
  const std::vector<double> before = {10, 11, 10, 12, 11}, after = {9, 10, 12, 11, 10};
  const Interval first = bootstrap_difference(before, after), second = bootstrap_difference(before, after);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
}

TEST(Bootstrap, TakesManyRunsInBlocks) {
  std::vector<double> before(100 * max_bootstrap_blocks, 10), after(100 * max_bootstrap_blocks, 8);
  const Interval interval = bootstrap_difference(before, after);
  EXPECT_NEAR(interval.low, -2, 1e-9);
  EXPECT_NEAR(interval.high, -2, 1e-9);
}

}  // namespace
}  // namespace thence::profile
