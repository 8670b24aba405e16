// How near a name is to a pattern, and which names are told.
#include "base/nearest.h"

#include <gtest/gtest.h>

namespace thence::test {
namespace {

TEST(Distance, CountsLettersAndLetsWildcardsTakeWhatTheyCan) {
  EXPECT_EQ(base::distance("query", "query"), 0u);
  EXPECT_EQ(base::distance("qery", "query"), 1u);
  EXPECT_EQ(base::distance("MatMull", "MatMul"), 1u);
  EXPECT_EQ(base::distance("encodr.*.attn", "encoder.12.attn"), 1u);
  EXPECT_EQ(base::distance("**.qery", "encoder.layer.0.query"), 1u);
  EXPECT_EQ(base::distance("*.b", "x.y.b"), 1u);  // a dot; letters are the star's
  EXPECT_EQ(base::distance("", "abc"), 3u);
  EXPECT_EQ(base::distance("abc", ""), 3u);
}

TEST(Nearest, KeepsAFewAndOneOfEachLayer) {
  base::Nearest nearest("encodr.layer.0.atention");
  for (const char* name : {"decoder", "encoder.layer.1.attention", "encoder.layer.0.attention",
                           "encoder.layer.0.retention", "encoder.layer.2.attention"})
    nearest.look_at(name);
  EXPECT_EQ(nearest.names(),
            (std::vector<std::string>{"encoder.layer.0.attention", "encoder.layer.0.retention"}));
}

TEST(Nearest, SaysNothingWhereAllIsFar) {
  base::Nearest nearest("pooler");
  nearest.look_at("encoder.layer");
  nearest.look_at("");
  EXPECT_TRUE(nearest.names().empty());
}

TEST(Nearest, ANameThatHoldsTheWholeIsNear) {
  base::Nearest nearest("attention");
  for (const char* name : {"encoder.layer.0.attention.self", "attentoin", "decoder"}) nearest.look_at(name);
  EXPECT_EQ(nearest.names(), (std::vector<std::string>{"attentoin", "encoder.layer.0.attention.self"}));
}

TEST(Nearest, OneOfAFewWordsOrNone) {
  const std::string_view words[] = {"path", "class", "semantic_type", "component", "to"};
  EXPECT_EQ(base::nearest("paht", words), "path");
  EXPECT_EQ(base::nearest("clas", words), "class");
  EXPECT_EQ(base::nearest("type", words), "semantic_type");
  for (const std::string& far :
       {std::string("colour"), std::string(), std::string("xx"), std::string("*"), std::string(100'000, 'x')})
    EXPECT_EQ(base::nearest(far, words), "") << far.substr(0, 10);
}

}  // namespace
}  // namespace thence::test
