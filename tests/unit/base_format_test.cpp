#include "base/format.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace thence::base {
namespace {

TEST(Format, ReplacesFieldsWithValues) {
  EXPECT_EQ(format("{} of {}", "one", std::string("many")), "one of many");
  EXPECT_EQ(format("{}{}{}", 'a', true, false), "atruefalse");
  EXPECT_EQ(
      format("{} {}", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max()),
      "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(format("nothing"), "nothing");
  EXPECT_EQ(format(""), "");
}

TEST(Format, EscapesDoubledBraces) {
  EXPECT_EQ(format(R"({{"a":{}}})", 1), R"({"a":1})");
  EXPECT_EQ(format("}}{{"), "}{");
}

TEST(Format, WritesShortestRoundTrippingReal) {
  EXPECT_EQ(format("{} {}", 0.95, 0.95f), "0.95 0.95");
  EXPECT_EQ(format("{:.4g} {:.1f} {:g}", 0.123456, 2.25f, 1e20), "0.1235 2.2 1e+20");
}

TEST(Format, AppliesWidthAndBase) {
  EXPECT_EQ(format("[{:<4}][{:>4}][{:02x}][{:016x}]", "ab", 7, 10, 255u),
            "[ab  ][   7][0a][00000000000000ff]");
  EXPECT_EQ(format("[{:{}}]{}", "ab", 5, 1), "[ab   ]1");
  EXPECT_EQ(format("[{:<4}]", "\xc3\xa9"), "[\xc3\xa9   ]") << "a width counts characters, not bytes";
}

TEST(Format, AppendsToExistingText) {
  std::string text = "a";
  append_format(text, "{}", 1);
  append_format(text, "-{}", 2);
  EXPECT_EQ(text, "a1-2");
}

TEST(Joined, SeparatesItems) {
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(joined(std::vector<std::int64_t>{1, -2}, ","), "1,-2");
  EXPECT_EQ(joined(std::vector<int>{}, ","), "");
}

}  // namespace
}  // namespace thence::base
