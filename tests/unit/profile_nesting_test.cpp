#include "profile/nesting.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "profile/limits.h"

namespace thence::profile {
namespace {

constexpr double forever = std::numeric_limits<double>::infinity();

struct Passed {
  double exclusive;
  std::int64_t parent;  // -1: none
};

// The exclusive time and the parent of each event, by its number.
class Collected {
 public:
  Nesting nesting{[this](const Event& event, double exclusive, const Event* parent) {
    passed[event.kernel] = {exclusive, parent == nullptr ? -1 : std::int64_t{parent->kernel}};
  }};
  std::map<std::uint32_t, Passed> passed;
};

TEST(Nesting, SubtractsBodies) {
  Collected found;
  found.nesting.add(1, {0, 10, 5});
  found.nesting.add(1, {1, 20, 5});
  found.nesting.add(1, {2, 8, 20});  // contains both
  found.nesting.add(1, {3, 30, 5});
  found.nesting.add(1, {4, 5, 40});  // contains all
  found.nesting.close_all(0, forever);
  EXPECT_EQ(found.passed[0].exclusive, 5);
  EXPECT_EQ(found.passed[0].parent, 2);
  EXPECT_EQ(found.passed[2].exclusive, 10);
  EXPECT_EQ(found.passed[2].parent, 4);
  EXPECT_EQ(found.passed[3].parent, 4);
  EXPECT_EQ(found.passed[4].exclusive, 15);
  EXPECT_EQ(found.passed[4].parent, -1);
}

TEST(Nesting, KeepsThreadsApart) {
  Collected found;
  found.nesting.add(1, {0, 10, 5});
  found.nesting.add(2, {1, 8, 20});  // at the same time, in another thread
  found.nesting.close_all(0, forever);
  EXPECT_EQ(found.passed[0].parent, -1);
  EXPECT_EQ(found.passed[1].exclusive, 20);
}

TEST(Nesting, OverlappingEventsAreNotNested) {
  Collected found;
  found.nesting.add(1, {0, 10, 10});
  found.nesting.add(1, {1, 15, 10});
  found.nesting.close_all(0, forever);
  EXPECT_EQ(found.passed[0].exclusive + found.passed[1].exclusive, 20);
}

TEST(Nesting, ClosesTheRunOfAThread) {
  Collected found;
  found.nesting.add(1, {0, 10, 5});
  found.nesting.add(2, {1, 10, 5});  // ends another run later
  found.nesting.add(3, {2, 11, 5});  // a thread of a pool
  found.nesting.close_except({1, 2}, 1, 9, 20);
  EXPECT_TRUE(found.passed.contains(0));
  EXPECT_FALSE(found.passed.contains(1));
  EXPECT_TRUE(found.passed.contains(2));
}

TEST(Nesting, BoundsItsMemory) {
  std::size_t passed = 0;
  Nesting nesting([&](const Event&, double, const Event*) { ++passed; });
  for (std::size_t i = 0; i < 3 * max_open_kernels; ++i) nesting.add(1, {0, static_cast<double>(2 * i), 1});
  EXPECT_TRUE(nesting.is_cut());
  EXPECT_GE(passed, 2 * max_open_kernels);
  nesting.close_all(0, forever);
  EXPECT_EQ(passed, 3 * max_open_kernels);
}

}  // namespace
}  // namespace thence::profile
