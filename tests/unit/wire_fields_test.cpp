// Fields iterates over any bytes: each kind of field, each fault, and nothing past the end.
#include "wire/fields.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace thence::wire {
namespace {

using namespace std::string_literals;

Fault fault_of(const std::string& bytes) {
  const std::vector<char> exact(bytes.begin(), bytes.end());
  Fields fields(std::string_view(exact.data(), exact.size()));
  while (fields.next()) {
  }
  EXPECT_FALSE(fields.next()) << "an end stays the end";
  return fields.fault();
}

TEST(Fields, AnEmptyMessageHasNone) {
  Fields fields("");
  EXPECT_FALSE(fields.next());
  EXPECT_EQ(fields.fault(), Fault::none);
  EXPECT_EQ(fault_of(""), Fault::none);
}

TEST(Fields, ReadsEachWireType) {
  const std::string bytes = "\x08\x96\x01"s +
                            "\x12\x03"
                            "abc"s +
                            "\x1d\0\0\x80\x3f"s + "\x21\1\2\3\4\5\6\7\x08"s;
  Fields fields(bytes);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.tag(), varint_tag(1));
  EXPECT_EQ(fields.varint(), 150u);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.tag(), bytes_tag(2));
  EXPECT_EQ(fields.bytes(), "abc");
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.field(), 3u);
  EXPECT_EQ(fields.type(), WireType::fixed32);
  EXPECT_EQ(fields.as_float(), 1.0f);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.field(), 4u);
  EXPECT_EQ(fields.type(), WireType::fixed64);
  EXPECT_EQ(fields.bytes(), "\1\2\3\4\5\6\7\x08");
  EXPECT_FALSE(fields.next());
  EXPECT_EQ(fields.fault(), Fault::none);
}

TEST(Fields, ReportsStartAndEndOfAField) {
  const std::string bytes = "\x08\x01\x12\x02hi\x18\x05";
  Fields fields(bytes);
  ASSERT_TRUE(fields.next() && fields.next());
  EXPECT_EQ(fields.start() - bytes.data(), 2);
  EXPECT_EQ(fields.rest() - bytes.data(), 6);
}

TEST(Fields, ReadsTheLargestNumbers) {
  const std::string largest = "\x08"s + std::string(9, '\xff') + "\x01";
  Fields fields(largest);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.varint(), std::numeric_limits<std::uint64_t>::max());

  const std::string beyond = "\x08"s + std::string(9, '\xff') + "\x7f";
  Fields more(beyond);
  ASSERT_TRUE(more.next()) << "bits past the 64th are dropped, as libprotobuf does";
  EXPECT_EQ(more.varint(), std::numeric_limits<std::uint64_t>::max());

  const std::string padded = "\x08\x81\x80\x80\x80\x80\x80\x80\x80\x80\0"s;
  Fields one(padded);
  ASSERT_TRUE(one.next()) << "a number may be longer than it needs";
  EXPECT_EQ(one.varint(), 1u);
}

TEST(Fields, ReadsTheLargestFieldNumber) {
  Fields fields("\xf8\xff\xff\xff\x0f\x01");
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.field(), (1u << 29) - 1);
  EXPECT_EQ(fields.varint(), 1u);
}

TEST(Fields, ReadsAFieldNumberWrittenLongerThanNeeded) {
  const std::string bytes = "\x88\x80\x80\x80\0\x05"s;
  Fields fields(bytes);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.tag(), varint_tag(1));
  EXPECT_EQ(fields.varint(), 5u);
}

TEST(Fields, DetectsEachFault) {
  EXPECT_EQ(fault_of("\x08"), Fault::varint_cut_off);
  EXPECT_EQ(fault_of("\x08\xff"), Fault::varint_cut_off);
  EXPECT_EQ(fault_of("\x88"), Fault::varint_cut_off) << "in a tag";
  EXPECT_EQ(fault_of("\x0a"), Fault::varint_cut_off) << "in a length";
  EXPECT_EQ(fault_of("\x08"s + std::string(10, '\xff') + "\x01"), Fault::varint_too_long);
  EXPECT_EQ(fault_of("\x0a\x80\x80\x80\x80\0"s), Fault::none) << "a length in five bytes";
  EXPECT_EQ(fault_of("\x0a\x80\x80\x80\x80\x80\0"s), Fault::varint_too_long) << "a length in six";
  EXPECT_EQ(fault_of("\x0a\xff\xff\xff\xff\xff\x01"), Fault::length_past_end) << "one that needs six";
  EXPECT_EQ(fault_of("\xf8\xff\xff\xff\x1f\x01"), Fault::tag_too_large);
  EXPECT_EQ(fault_of("\x88\x80\x80\x80\x80\0\x05"s), Fault::tag_too_large) << "six bytes, though small";
  EXPECT_EQ(fault_of("\0"s), Fault::field_zero);
  EXPECT_EQ(fault_of("\x02\0"s), Fault::field_zero);
  EXPECT_EQ(fault_of("\x80\0"s), Fault::field_zero);
  EXPECT_EQ(fault_of("\x0a\x01"), Fault::length_past_end);
  EXPECT_EQ(fault_of("\x0a"s + std::string(9, '\xff') + "\x01x"), Fault::length_past_end)
      << "no wrapping around";
  EXPECT_EQ(fault_of("\x0d\1\2\3"), Fault::number_past_end);
  EXPECT_EQ(fault_of("\x09\1\2\3\4\5\6\7"), Fault::number_past_end);
  EXPECT_EQ(fault_of("\x0b\x0c"), Fault::group);
  EXPECT_EQ(fault_of("\x0c"), Fault::group);
  EXPECT_EQ(fault_of("\x0e"), Fault::unknown_wire_type);
  EXPECT_EQ(fault_of("\x0f"), Fault::unknown_wire_type);
}

TEST(Fields, FaultsPointAtTheirField) {
  const std::string bytes =
      "\x08\x01\x0a\x7f"
      "abc";
  Fields fields(bytes);
  ASSERT_TRUE(fields.next());
  ASSERT_FALSE(fields.next());
  EXPECT_EQ(fields.fault_at() - bytes.data(), 2);
}

std::vector<std::uint64_t> numbers_in(const std::string& bytes, std::uint32_t field, bool& sound) {
  std::vector<std::uint64_t> numbers;
  sound = true;
  for (Fields fields(bytes); fields.next();)
    sound = for_each_varint(fields, field, [&](std::uint64_t value) { numbers.push_back(value); }) && sound;
  return numbers;
}

TEST(Numbers, MayBePackedOrNotOrBoth) {
  bool sound = false;
  EXPECT_EQ(numbers_in("\x08\x05\x0a\x03\x01\x96\x01\x0a\0\x08\x07"s, 1, sound),
            (std::vector<std::uint64_t>{5, 1, 150, 7}));
  EXPECT_TRUE(sound);
}

TEST(Numbers, OfOtherFieldsAndTypesAreSkipped) {
  bool sound = false;
  EXPECT_TRUE(numbers_in("\x10\x05\x0d\1\2\3\4", 1, sound).empty());
  EXPECT_TRUE(sound);
}

TEST(Numbers, TruncatedOrTooLongDoNotDecode) {
  bool sound = true;
  numbers_in("\x0a\x01\x80", 1, sound);
  EXPECT_FALSE(sound);
  numbers_in("\x0a\x0b"s + std::string(10, '\x80') + "\x01", 1, sound);
  EXPECT_FALSE(sound);
  EXPECT_EQ(numbers_in("\x0a\x0a"s + std::string(9, '\xff') + "\x01", 1, sound).front(), ~std::uint64_t{0});
  EXPECT_TRUE(sound);
}

RC_GTEST_PROP(Fields, NeverReadPastTheEnd, (const std::string& bytes)) {
  const std::unique_ptr<char[]> exact(new char[bytes.size()]);
  bytes.copy(exact.get(), bytes.size());
  const char* before = exact.get();
  const char* const end = exact.get() + bytes.size();
  Fields fields(std::string_view(exact.get(), bytes.size()));
  while (fields.next()) {
    RC_ASSERT(fields.start() == before);
    RC_ASSERT(fields.rest() > before);
    RC_ASSERT(fields.rest() <= end);
    before = fields.rest();
    for_each_varint(fields, fields.field(), [](std::uint64_t) {});
  }
  RC_ASSERT(fields.fault() != Fault::none || before == end);
}

}  // namespace
}  // namespace thence::wire
