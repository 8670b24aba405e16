// Whatever is written, commas separate items, and a JSON parser reads the same values back.
#include "base/json_writer.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <functional>

#include "base/json.h"
#include "base/utf8.h"

namespace thence::base {
namespace {

std::string written(const std::function<void(JsonWriter&)>& write,
                    JsonWriter::Position position = JsonWriter::Position::start) {
  std::string out;
  JsonWriter json(out, position);
  write(json);
  return out;
}

TEST(JsonWriter, PutsCommasBetweenMembersAndItems) {
  EXPECT_EQ(written([](JsonWriter& json) {
              json.begin_object();
              json.member<"a">(1);
              json.begin_array<"b">();
              json.value("x");
              json.begin_array();
              json.end_array();
              json.begin_object();
              json.end_object();
              json.end_array();
              json.key("c");
              json.null();
              json.end_object();
            }),
            R"({"a":1,"b":["x",[],{}],"c":null})");
}

TEST(JsonWriter, WritesEveryKindOfValue) {
  EXPECT_EQ(
      written([](JsonWriter& json) {
        json.begin_array();
        json.value(true);
        json.value(false);
        json.value(std::uint64_t{18446744073709551615u});
        json.value(std::int64_t{-9223372036854775807 - 1});
        json.value(std::uint8_t{65});
        json.real(0.123456f, 4);
        json.real(1e-7, 3);
        json.real(1.0, 6);
        json.verbatim("0.50");
        json.value_or_null("");
        json.value_or_null("a\"b");
        json.array(std::vector<std::string>{"x", "y"});
        json.end_array();
      }),
      R"([true,false,18446744073709551615,-9223372036854775808,65,0.1235,1e-07,1,0.50,null,"a\"b",["x","y"]])");
}

TEST(JsonWriter, WritesMembersOfEveryKind) {
  EXPECT_EQ(written([](JsonWriter& json) {
              json.begin_object();
              json.member_or_null<"a">("");
              json.null<"b">();
              json.real<"c">(2.5, 4);
              json.verbatim<"d">("[]");
              json.array<"e">(std::vector<int>{1, 2});
              json.begin_object<"">();
              json.member<"$f">(false);
              json.end_object();
              json.end_object();
            }),
            R"({"a":null,"b":null,"c":2.5,"d":[],"e":[1,2],"":{"$f":false}})");
}

TEST(JsonWriter, WritesRequestedLineBreaks) {
  EXPECT_EQ(written([](JsonWriter& json) {
              json.begin_object();
              json.member<"a">(1);
              json.new_line();
              json.begin_array<"rows">();
              json.new_line();
              json.value(1);
              json.new_line();
              json.value(2);
              json.end_array();
              json.space();
              json.key<"b">();
              json.space();
              json.begin_array();
              json.new_line(" ");
              json.value("x");
              json.new_line(" ");
              json.value("y");
              json.end_array_on_new_line();
              json.end_object();
            }),
            "{\"a\":1,\n\"rows\":[\n1,\n2], \"b\": [\n \"x\",\n \"y\"\n]}");
}

TEST(JsonWriter, NewLineBetweenSkipsFirstItem) {
  EXPECT_EQ(written([](JsonWriter& json) {
              json.begin_array();
              for (int i = 0; i < 3; ++i) {
                json.new_line_between();
                json.value(i);
              }
              json.end_array();
            }),
            "[0,\n1,\n2]");
}

TEST(JsonWriter, AppendsPreencodedMembers) {
  const std::string shared = written(
      [](JsonWriter& json) {
        json.member<"b">(2);
        json.member<"c">("x");
      },
      JsonWriter::Position::after_item);
  EXPECT_EQ(shared, R"(,"b":2,"c":"x")");
  EXPECT_EQ(written([&](JsonWriter& json) {
              json.begin_object();
              json.member<"a">(1);
              json.append_members(shared);
              json.member<"d">(4);
              json.end_object();
            }),
            R"({"a":1,"b":2,"c":"x","d":4})");
}

TEST(JsonWriter, AnyTextRoundTrips) {
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& texts) {
    const std::string document = written([&](JsonWriter& json) {
      json.begin_object();
      json.begin_array<"texts">();
      for (const std::string& text : texts) json.value(text);
      json.end_array();
      json.end_object();
    });
    RC_ASSERT(is_utf8(document));
    for (const char c : document) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
    const JsonDocument read(document);
    RC_ASSERT(!read.error());
    std::size_t i = 0;
    for (const JsonValue item : read.root()["texts"].items()) {
      RC_ASSERT(item.text().has_value());
      if (is_utf8(texts[i])) RC_ASSERT(*item.text() == texts[i]);
      ++i;
    }
    RC_ASSERT(i == texts.size());
  }));
}

}  // namespace
}  // namespace thence::base
