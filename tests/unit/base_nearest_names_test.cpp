// The distance between a name and a pattern, and the names that are suggested.
#include "base/nearest_names.h"

#include <gtest/gtest.h>

namespace thence::test {
namespace {

TEST(EditDistance, CountsEditsOutsideWildcards) {
  EXPECT_EQ(base::edit_distance("query", "query"), 0u);
  EXPECT_EQ(base::edit_distance("qery", "query"), 1u);
  EXPECT_EQ(base::edit_distance("MatMull", "MatMul"), 1u);
  EXPECT_EQ(base::edit_distance("encodr.*.attn", "encoder.12.attn"), 1u);
  EXPECT_EQ(base::edit_distance("**.qery", "encoder.layer.0.query"), 1u);
  EXPECT_EQ(base::edit_distance("*.b", "x.y.b"), 1u);  // a dot; letters are the star's
  EXPECT_EQ(base::edit_distance("", "abc"), 3u);
  EXPECT_EQ(base::edit_distance("abc", ""), 3u);
}

TEST(NearestNames, KeepsOneNamePerNumberFreeName) {
  base::NearestNames nearest("encodr.layer.0.atention");
  for (const char* name : {"decoder", "encoder.layer.1.attention", "encoder.layer.0.attention",
                           "encoder.layer.0.retention", "encoder.layer.2.attention"})
    nearest.add(name);
  EXPECT_EQ(nearest.names(),
            (std::vector<std::string>{"encoder.layer.0.attention", "encoder.layer.0.retention"}));
}

TEST(NearestNames, IsEmptyIfAllAreFar) {
  base::NearestNames nearest("pooler");
  nearest.add("encoder.layer");
  nearest.add("");
  EXPECT_TRUE(nearest.names().empty());
}

TEST(NearestNames, AcceptsNamesThatContainThePattern) {
  base::NearestNames nearest("attention");
  for (const char* name : {"encoder.layer.0.attention.self", "attentoin", "decoder"}) nearest.add(name);
  EXPECT_EQ(nearest.names(), (std::vector<std::string>{"attentoin", "encoder.layer.0.attention.self"}));
}

TEST(NearestNames, FindsNearestWord) {
  const std::string_view words[] = {"path", "class", "semantic_type", "component", "to"};
  EXPECT_EQ(base::nearest_word("paht", words), "path");
  EXPECT_EQ(base::nearest_word("clas", words), "class");
  EXPECT_EQ(base::nearest_word("type", words), "semantic_type");
  for (const std::string& far :
       {std::string("colour"), std::string(), std::string("xx"), std::string("*"), std::string(100'000, 'x')})
    EXPECT_EQ(base::nearest_word(far, words), "") << far.substr(0, 10);
}

TEST(NameHint, ListsTheNearestElseAFew) {
  const auto hint = [](const char* pattern, int names) {
    base::NameHint collected(pattern);
    for (int i = 0; i < names; ++i)
      collected.add(std::string(i < 26 ? 1 : 2, static_cast<char>('a' + i % 26)) + "-name");
    return collected.text();
  };
  EXPECT_EQ(hint("b-nam", 3), "the nearest: b-name, a-name, c-name");
  EXPECT_EQ(hint("zzzzzzzzzz", 2), "there are: a-name, b-name");
  EXPECT_EQ(hint("zzzzzzzzzz", 13), "");
  EXPECT_EQ(hint("zzzzzzzzzz", 0), "");
}

}  // namespace
}  // namespace thence::test
