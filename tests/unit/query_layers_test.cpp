// Ranges of layers.
#include "query/layers.h"

#include <gtest/gtest.h>

namespace thence::test {
namespace {

TEST(Layers, AreNumbersAndRanges) {
  const auto has = [](const char* text, std::uint64_t layer) {
    return query::parse_layers(text)->has(layer);
  };
  EXPECT_TRUE(has("2", 2));
  EXPECT_FALSE(has("2", 3));
  EXPECT_TRUE(has("0-3", 0) && has("0-3", 3));
  EXPECT_FALSE(has("0-3", 4));
  EXPECT_TRUE(has("5-", 5) && has("5-", 1'000'000));
  EXPECT_FALSE(has("5-", 4));
  for (const char* text : {"", "-", "-3", "a", "3-1", "1-2-3", "1 - 2", "99999999999999999999", "0x2"})
    EXPECT_FALSE(query::parse_layers(text)) << text;
}

}  // namespace
}  // namespace thence::test
