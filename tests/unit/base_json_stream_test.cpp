#include "base/json_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/limits.h"

namespace thence::base {
namespace {

struct Read {
  std::vector<std::string> items;
  std::optional<JsonStreamError> error;
};

Read read_all(std::string_view text) {
  Read read;
  read.error = for_each_json_item(text, [&](JsonValue item) {
    read.items.push_back(item.minified());
    return true;
  });
  return read;
}

TEST(JsonStream, ReadsItemsOfAnyType) {
  const Read read = read_all(" [ 1, \"a,]\\\"\\\\\", {\"b\": [2, {}]}, null ] \n");
  EXPECT_FALSE(read.error);
  EXPECT_EQ(read.items, (std::vector<std::string>{"1", R"("a,]\"\\")", R"({"b":[2,{}]})", "null"}));
}

TEST(JsonStream, ReadsAnEmptyArray) {
  const Read read = read_all("[ ]");
  EXPECT_FALSE(read.error);
  EXPECT_TRUE(read.items.empty());
}

TEST(JsonStream, StopsOnRequest) {
  int count = 0;
  EXPECT_FALSE(for_each_json_item("[1, 2, 3]", [&](JsonValue) { return ++count < 2; }));
  EXPECT_EQ(count, 2);
}

TEST(JsonStream, ReportsWhatIsNotAnArray) {
  for (const char* text : {"", "{}", "1", "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1]]", "[1}", "[\"a]",
                           "[\"a\\", "[{]", "[1] 2", "[nul]"})
    EXPECT_TRUE(read_all(text).error) << text;
}

TEST(JsonStream, LimitsTheLengthOfAnItem) {
  const std::string text = "[\"" + std::string(json_chunk_bytes + max_json_item_bytes + 10, 'a') + "\"]";
  const Read read = read_all(text);
  ASSERT_TRUE(read.error);
  EXPECT_EQ(read.error->text, "an item of the array is too long");
}

// Chunks end between items, wherever those are.
TEST(JsonStream, CutsBetweenItems) {
  std::string text = "[";
  std::vector<std::string> expected;
  for (int i = 0; text.size() < 3 * json_chunk_bytes; ++i) {
    expected.push_back("{\"n\":" + std::to_string(i) + ",\"t\":\"" +
                       std::string(static_cast<std::size_t>(i % 700), ',') + "]}\"}");
    text += (i > 0 ? ",\n" : "") + expected.back();
  }
  const Read read = read_all(text + "]");
  EXPECT_FALSE(read.error);
  EXPECT_EQ(read.items, expected);
}

RC_GTEST_PROP(JsonStream, NeverReadsPastACutText, (std::uint8_t raw)) {
  const std::string text = R"([{"a": "\\\"", "b": [1, {"c": "]"}]}, {"d": [[]]}])";
  const std::size_t length = raw % text.size();
  RC_ASSERT(read_all(std::string(text.substr(0, length))).error.has_value());
}

}  // namespace
}  // namespace thence::base
