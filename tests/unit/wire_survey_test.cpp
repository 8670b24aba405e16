// A survey checks that every message in a file decodes, and counts fields; a fault has an offset.
#include "wire/survey.h"

#include <gtest/gtest.h>

#include <string>

namespace thence::wire {
namespace {

using namespace std::string_literals;

// A made-up format: a tree (1) holds trees in field 1, numbers in 2 and 3, data in 4; field 5 is plain.
constexpr std::uint8_t tree = 1;

const Layout& trees() {
  static const Layout layout = [] {
    Layout made;
    made.messages.resize(2);
    made.messages[tree][1] = tree;
    made.messages[tree][2] = packed_varints;
    made.messages[tree][3] = packed_fixed32;
    made.messages[tree][4] = weight_data;
    return made;
  }();
  return layout;
}

Survey look(const std::string& bytes) { return survey(bytes, tree, trees()); }

std::string field(char number, const std::string& payload) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  std::size_t size = payload.size();
  for (; size >= 0x80; size >>= 7) out.push_back(static_cast<char>(size | 0x80));
  out.push_back(static_cast<char>(size));
  return out + payload;
}

std::string nested(int levels, std::string innermost = "") {
  for (int i = 0; i < levels; ++i) innermost = field(1, innermost);
  return innermost;
}

TEST(Survey, CountsFieldsAtEveryDepth) {
  const Survey found = look(field(1, field(5, "a") + field(1, field(5, ""))) + field(5, "bc") + field(1, ""));
  EXPECT_EQ(found.fault, Fault::none);
  EXPECT_EQ(found.count(tree, 1), 3u);
  EXPECT_EQ(found.count(tree, 5), 3u);
  EXPECT_EQ(found.count(tree, 2), 0u);
  EXPECT_EQ(found.count_nonempty(tree, 1), 2u);
  EXPECT_EQ(found.count_nonempty(tree, 5), 2u);
}

TEST(Survey, CountsOnlyBytesFields) {
  const Survey found = look("\x08\x01\x0d\1\2\3\4"s);
  EXPECT_EQ(found.fault, Fault::none);
  EXPECT_EQ(found.count(tree, 1), 0u) << "field 1 with another wire type is an unknown field";
}

TEST(Survey, SumsDataWithoutReadingIt) {
  const Survey found = look(field(4, "\xff\xff\xff") + field(1, field(4, std::string(200, '\xff'))));
  EXPECT_EQ(found.fault, Fault::none);
  EXPECT_EQ(found.data_bytes, 203u);
}

TEST(Survey, DetectsFieldOrder) {
  EXPECT_TRUE(look(field(1, field(5, "")) + field(1, field(5, "")) + field(5, "")).in_order(tree));
  EXPECT_FALSE(look(field(5, "") + field(1, "")).in_order(tree));
  EXPECT_FALSE(look(field(1, field(5, "") + field(1, "")) + field(5, "")).in_order(tree)) << "inside";
  EXPECT_FALSE(look("\xa2\x06\0"s + field(1, "")).in_order(tree)) << "field 100, which is not counted";
  EXPECT_FALSE(look("\x30\0"s + field(5, "")).in_order(tree)) << "a number in field 6";
  EXPECT_FALSE(look(field(5, "") + "\x08\0"s).in_order(tree)) << "a number in field 1";
}

TEST(Survey, SkipsUnknownFields) {
  EXPECT_EQ(look(field(6, "\xff") + "\xa2\x06\x01\xff"s).fault, Fault::none) << "fields 6 and 100";
}

TEST(Survey, ChecksPackedNumbers) {
  EXPECT_EQ(look(field(2, "\x01\xff\x01") + field(3, "12345678")).fault, Fault::none);
  EXPECT_EQ(look(field(2, "\x01\xff")).fault, Fault::packed_numbers);
  EXPECT_EQ(look(field(3, "123")).fault, Fault::packed_numbers);
}

TEST(Survey, ReadsAHundredLevels) {
  EXPECT_EQ(look(nested(100)).fault, Fault::none);
  EXPECT_EQ(look(nested(100)).count(tree, 1), 100u);
  EXPECT_EQ(look(nested(101)).fault, Fault::too_deep);
  EXPECT_EQ(look(nested(5000)).fault, Fault::too_deep);
}

TEST(Survey, ReportsOffsetOfAFault) {
  const std::string before = field(5, "abc") + field(1, "");
  const Survey found = look(before + field(1, field(5, "x") + "\x2a\x09"s));
  EXPECT_EQ(found.fault, Fault::length_past_end);
  EXPECT_EQ(found.fault_offset, before.size() + 2 + 3);
  EXPECT_EQ(found.fault_kind, tree);
}

TEST(Survey, ReportsOffsetOfPackedNumbersAndDepth) {
  EXPECT_EQ(look(field(5, "abc") + field(2, "\xff")).fault_offset, 5u);
  const std::string deep = nested(101);
  EXPECT_EQ(look(deep).fault_offset, deep.size() - 2);
}

TEST(Survey, StopsAtAnInnerFault) {
  const Survey found = look(field(1, "\xff") + field(5, "never counted"));
  EXPECT_EQ(found.fault, Fault::varint_cut_off);
  EXPECT_EQ(found.fault_offset, 2u);
  EXPECT_EQ(found.count(tree, 5), 0u);
}

TEST(Survey, AMessageMayNotExceedItsParent) {
  const std::string bytes = "\x0a\x02\x2a\x02"s + "hi";  // the inner length 2 reaches past the inner message
  const Survey found = look(bytes);
  EXPECT_EQ(found.fault, Fault::length_past_end);
  EXPECT_EQ(found.fault_offset, 2u);
}

}  // namespace
}  // namespace thence::wire
