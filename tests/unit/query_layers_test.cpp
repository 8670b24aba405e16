// Ranges of layers.
#include "query/layers.h"

#include <gtest/gtest.h>

namespace thence::test {
namespace {

TEST(Layers, AreNumbersAndRanges) {
  const auto has = [](const char* text, std::uint64_t layer) {
    return query::parse_layers(text)->has(layer, 12);
  };
  EXPECT_TRUE(has("2", 2));
  EXPECT_FALSE(has("2", 3));
  EXPECT_TRUE(has("0-3", 0) && has("0-3", 3));
  EXPECT_FALSE(has("0-3", 4));
  EXPECT_TRUE(has("5-", 5) && has("5-", 1'000'000));
  EXPECT_FALSE(has("5-", 4));
  for (const char* text : {"", "-", "--", "-0", "a", "3-1", "-1--3", "1-2-3", "1 - 2", "99999999999999999999",
                           "0x2", "--1", "1---2"})
    EXPECT_FALSE(query::parse_layers(text)) << text;
}

TEST(Layers, NegativeNumbersCountFromTheEnd) {
  const auto has = [](const char* text, std::uint64_t layer, std::uint64_t count) {
    return query::parse_layers(text)->has(layer, count);
  };
  EXPECT_TRUE(has("-1", 11, 12) && has("-1", 5, 6));
  EXPECT_FALSE(has("-1", 11, 13));
  EXPECT_TRUE(has("-3--1", 9, 12) && has("-3--1", 11, 12));
  EXPECT_FALSE(has("-3--1", 8, 12));
  EXPECT_TRUE(has("-2-", 10, 12) && has("-2-", 11, 12));
  EXPECT_TRUE(has("1--2", 1, 12) && has("1--2", 10, 12));
  EXPECT_FALSE(has("1--2", 0, 12) || has("1--2", 11, 12));
  EXPECT_FALSE(has("-5", 0, 3));
}

}  // namespace
}  // namespace thence::test
