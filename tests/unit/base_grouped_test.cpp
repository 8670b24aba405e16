#include "base/grouped.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace thence::base {
namespace {

TEST(Grouped, IsEmptyWithoutGroups) {
  const Grouped<int> none(3, [](const auto&) {});
  for (std::size_t group = 0; group < 3; ++group) EXPECT_TRUE(none.of(group).empty());
}

RC_GTEST_PROP(Grouped, KeepsOrderWithinGroups, (const std::vector<std::pair<std::uint8_t, int>>& items)) {
  std::map<std::size_t, std::vector<int>> expected;
  for (const auto& [group, item] : items) expected[group].push_back(item);
  const Grouped<int> grouped(256, [&](const auto& use) {
    for (const auto& [group, item] : items) use(group, item);
  });
  for (std::size_t group = 0; group < 256; ++group) {
    const auto found = grouped.of(group);
    RC_ASSERT(std::vector<int>(found.begin(), found.end()) == expected[group]);
  }
}

}  // namespace
}  // namespace thence::base
