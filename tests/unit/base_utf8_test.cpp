// The result is valid UTF-8 for any input, and valid input does not change.
#include "base/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace thence::base {
namespace {

TEST(Utf8, KeepsValidText) {
  for (const std::string text : {"", "plain", "two\nlines \x1b[0m", "\xc3\xa9", "\xf0\x9f\x98\x80"}) {
    EXPECT_TRUE(is_utf8(text));
    EXPECT_EQ(escape_invalid_utf8(text), text);
  }
}

TEST(Utf8, EscapesInvalidBytes) {
  EXPECT_FALSE(is_utf8("a\xff"));
  EXPECT_EQ(escape_invalid_utf8("a\xff"), "a\\xff");
  EXPECT_EQ(escape_invalid_utf8("\xc3"), "\\xc3");
  EXPECT_EQ(escape_invalid_utf8("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half a character of UTF-16
  EXPECT_EQ(escape_invalid_utf8(std::string_view("\0x", 2)), "\\x00x");
}

TEST(Utf8, AnyBytesBecomeValid) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    const std::string text = escape_invalid_utf8(bytes);
    RC_ASSERT(is_utf8(text));
    RC_ASSERT(text.find('\0') == std::string::npos);
    if (is_utf8(bytes) && bytes.find('\0') == std::string::npos) RC_ASSERT(text == bytes);
  }));
}

}  // namespace
}  // namespace thence::base
