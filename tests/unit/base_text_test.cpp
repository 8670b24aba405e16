// Text from a model can be any bytes: what is printed must be harmless, and other text must not change.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace thence::base {
namespace {

TEST(Printable, KeepsPlainText) {
  for (const char* text : {"", "/encoder/layer.0/MatMul", "a b~!", "größe", "层.0", "𝛼", "C:\\x"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_TRUE(is_printable(text)) << text;
  }
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(printable("\x7f"), "\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a C1 control is an escape code in two bytes";
}

TEST(Printable, EscapesDirectionMarks) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xae"
            "b");
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\xe2\\x81\\xa6");
  EXPECT_EQ(printable("\xe2\x80\x8b"), "\\xe2\\x80\\x8b");
  EXPECT_EQ(printable("\xd8\x9c"), "\\xd8\\x9c");
  EXPECT_EQ(printable("\xe2\x80\x93"), "\xe2\x80\x93") << "a dash is just a dash";
}

TEST(Printable, EscapesZeroWidthCharacters) {
  for (const char* text :
       {"\xe2\x81\xa0", "\xe2\x81\xa4", "\xe2\x81\xaa", "\xef\xbb\xbf", "\xf3\xa0\x81\x81"})
    EXPECT_FALSE(is_printable(text)) << printable(text);
  for (const char* text : {"\xe2\x81\xb0", "\xef\xbb\xbe\x2e", "\xf0\x9f\x98\x80"})
    EXPECT_TRUE(is_printable(text)) << "U+2070, U+FEFE, an emoji";
}

TEST(Printable, EscapesInvalidUtf8ByteByByte) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("a\x80z"), "a\\x80z");
}

TEST(Utf8, LengthOfEveryKindOfCharacter) {
  EXPECT_EQ(utf8_length(""), 0u);
  EXPECT_EQ(utf8_length("a"), 1u);
  EXPECT_EQ(utf8_length("\xc2\x80"), 2u);
  EXPECT_EQ(utf8_length("\xe0\xa0\x80"), 3u);
  EXPECT_EQ(utf8_length("\xed\x9f\xbf"), 3u);
  EXPECT_EQ(utf8_length("\xf0\x90\x80\x80"), 4u);
  EXPECT_EQ(utf8_length("\xf4\x8f\xbf\xbf"), 4u);
}

TEST(Utf8, RefusesOverlongSurrogateAndOutOfRange) {
  for (const char* text : {"\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3(", "\xe2\x82(", "\xf0\x9f\x98("})
    EXPECT_EQ(utf8_length(text), 0u) << printable(text);
}

RC_GTEST_PROP(Printable, IsPrintableForAnyBytes, (const std::string& bytes)) {
  const std::string shown = printable(bytes);
  RC_ASSERT(is_printable(shown));
  RC_ASSERT(printable(shown) == shown);
  for (const char c : shown) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
  RC_ASSERT(is_printable(bytes) == (shown == bytes));
}

TEST(DisplayWidth, CountsCharactersNotBytes) {
  EXPECT_EQ(display_width(""), 0u);
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("größe"), 5u);
}

TEST(Split, KeepsEmptyPieces) {
  using Pieces = std::vector<std::string_view>;
  EXPECT_EQ(split("", '/'), Pieces{""});
  EXPECT_EQ(split("a", '/'), Pieces{"a"});
  EXPECT_EQ(split("/a//b/", '/'), (Pieces{"", "a", "", "b", ""}));
}

TEST(Digits, AreDecimalAndNotEmpty) {
  EXPECT_TRUE(is_digits("0123456789"));
  EXPECT_FALSE(is_digits(""));
  EXPECT_FALSE(is_digits("1a"));
  EXPECT_FALSE(is_digits("-1"));
}

TEST(NumberSuffix, IsSplitIfTheNameCanBeRebuilt) {
  NumberedName name{};
  ASSERT_TRUE(take_number_suffix("fc_12", name));
  EXPECT_EQ(name.base, "fc");
  EXPECT_EQ(name.number, 12u);
  ASSERT_TRUE(take_number_suffix("a_1_0", name));
  EXPECT_EQ(name.base, "a_1");
  EXPECT_EQ(name.number, 0u);
  ASSERT_TRUE(take_number_suffix("x_999999999", name));
  EXPECT_EQ(name.number, 999999999u);
}

TEST(NumberSuffix, IsKeptOtherwise) {
  for (const char* text : {"", "fc", "fc_", "_1", "fc_01", "fc_1a", "fc_-1", "fc_1000000000", "fc12"}) {
    NumberedName name{"before", 7};
    EXPECT_FALSE(take_number_suffix(text, name)) << text;
    EXPECT_EQ(name.base, "before") << "must not touch the result";
  }
}

TEST(NaturalOrder, ComparesNumbersAsNumbers) {
  EXPECT_TRUE(is_before_naturally("layer2", "layer10"));
  EXPECT_FALSE(is_before_naturally("layer10", "layer2"));
  EXPECT_TRUE(is_before_naturally("a2b10", "a2b11"));
  EXPECT_TRUE(is_before_naturally("9", "99999999999999999999999"));
  EXPECT_TRUE(is_before_naturally("fc", "fc1"));
  EXPECT_TRUE(is_before_naturally("1", "a"));
  EXPECT_TRUE(is_before_naturally("01", "1")) << "equal numbers need an order, too";
  EXPECT_FALSE(is_before_naturally("1", "01"));
  EXPECT_FALSE(is_before_naturally("same", "same"));
}

}  // namespace
}  // namespace thence::base
