#include "base/json.h"

#include <gtest/gtest.h>

#include <vector>

namespace thence::base {
namespace {

TEST(Json, ReadsValuesOfEachType) {
  const JsonDocument document(R"({"t":"text","i":-3,"n":18446744073709551615,"r":0.5,"b":true,"z":null})");
  ASSERT_FALSE(document.error());
  const JsonValue root = document.root();
  EXPECT_EQ(root["t"].text(), "text");
  EXPECT_EQ(root["i"].integer(), -3);
  EXPECT_EQ(root["n"].natural(), 18446744073709551615u);
  EXPECT_EQ(root["r"].real(), 0.5);
  EXPECT_EQ(root["b"].boolean(), true);
  EXPECT_TRUE(root["z"].is_null());
  EXPECT_TRUE(root["z"].exists());
}

TEST(Json, IsEmptyForAnotherType) {
  const JsonDocument document(R"({"t":"text","i":-3})");
  EXPECT_EQ(document.root()["t"].integer(), std::nullopt);
  EXPECT_EQ(document.root()["i"].natural(), std::nullopt);
  EXPECT_EQ(document.root()["i"].text_or("other"), "other");
}

TEST(Json, MissingValuesLeadToMissingValues) {
  const JsonDocument document(R"({"a":[1]})");
  const JsonValue missing = document.root()["b"];
  EXPECT_FALSE(missing.exists());
  EXPECT_FALSE(missing["c"]["d"].exists());
  EXPECT_FALSE(document.root()["a"]["b"].exists()) << "an array has no members";
  EXPECT_FALSE(missing.is_null() || missing.is_array() || missing.is_object());
  EXPECT_EQ(missing.minified(), "");
  for ([[maybe_unused]] const JsonValue item : missing.items()) FAIL();
  for ([[maybe_unused]] const JsonMember member : missing.members()) FAIL();
}

TEST(Json, ItemsAndMembersInOrder) {
  const JsonDocument document(R"({"b":[1,[2],{"x":3}],"a":{}})");
  std::vector<std::string> keys, items;
  for (const auto& [key, value] : document.root().members()) keys.emplace_back(key);
  for (const JsonValue item : document.root()["b"].items()) items.push_back(item.minified());
  EXPECT_EQ(keys, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(items, (std::vector<std::string>{"1", "[2]", R"({"x":3})"}));
}

TEST(Json, InvalidTextHasErrorAndNoRoot) {
  for (const char* text : {"", "{", "[1,]", "nul", "{\"a\":1} x"}) {
    const JsonDocument document(text);
    EXPECT_TRUE(document.error()) << text;
    EXPECT_FALSE(document.root().exists()) << text;
  }
}

TEST(Json, ValuesStayValidWhenTheDocumentMoves) {
  JsonDocument first(R"({"a":"text"})");
  const JsonValue value = first.root()["a"];
  const JsonDocument second = std::move(first);
  EXPECT_EQ(value.text(), "text");
  EXPECT_EQ(second.root()["a"].text(), "text");
}

}  // namespace
}  // namespace thence::base
