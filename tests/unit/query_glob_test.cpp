// Globs of paths and of words, ranges of layers, and how near a name is to a pattern.
#include "query/glob.h"

#include <gtest/gtest.h>

#include "query/layers.h"
#include "query/nearest.h"

namespace thence::test {
namespace {

using query::Glob;

struct Case {
  const char* pattern;
  const char* path;
  bool fits;
};

class Globs : public testing::TestWithParam<Case> {};

TEST_P(Globs, Fit) {
  const Case& one = GetParam();
  EXPECT_EQ(Glob(one.pattern).fits(one.path), one.fits) << one.pattern << " " << one.path;
}

INSTANTIATE_TEST_SUITE_P(
    All, Globs,
    testing::Values(Case{"encoder.layer.0", "encoder.layer.0", true},
                    Case{"encoder.layer", "encoder.layer.0", false},
                    Case{"encoder.layer.*.attention", "encoder.layer.3.attention", true},
                    Case{"encoder.layer.*.attention", "encoder.layer.3.a.attention", false},
                    Case{"encoder.layer.*.attention", "encoder.layer.attention", false},
                    Case{"*", "encoder", true}, Case{"*", "encoder.layer", false}, Case{"*", "", false},
                    Case{"", "", true}, Case{"", "a", false}, Case{"**", "", true}, Case{"**", "a.b.c", true},
                    Case{"**.query", "query", true}, Case{"**.query", "a.b.query", true},
                    Case{"**.query", "a.query.b", false}, Case{"**.query.**", "a.query.b", true},
                    Case{"a.**.b.**.c", "a.b.b.x.c", true}, Case{"a.**.b.**.c", "a.x.c", false},
                    Case{"a.**", "a", true}, Case{"a.**", "ab", false}, Case{"la*r.?", "layer.7", true},
                    Case{"la*r.?", "layer.17", false}, Case{"*a*b*", "xaybz", true},
                    Case{"*a*b", "xbya", false}, Case{"**.*", "", false}, Case{"**.**", "", true},
                    Case{"a**b", "axxb", true}, Case{"a**b", "ax.xb", false}));

TEST(Glob, TakesDotsOfAWordAsTheyAre) {
  EXPECT_TRUE(Glob("com.*").fits_word("com.microsoft.experimental"));
  EXPECT_TRUE(Glob("Mat*").fits_word("MatMul"));
  EXPECT_FALSE(Glob("Mat").fits_word("MatMul"));
}

TEST(Glob, StaysQuickWhateverThePattern) {
  std::string pattern, path;
  for (int i = 0; i < 250; ++i) pattern += "**.*a*";
  for (int i = 0; i < 60; ++i) path += "aaaaaaaaaaaaaaab.";
  EXPECT_FALSE(Glob(pattern).fits(path + "c"));
}

TEST(Layers, AreNumbersAndRanges) {
  const auto has = [](const char* text, std::uint64_t layer) { return query::read_layers(text)->has(layer); };
  EXPECT_TRUE(has("2", 2));
  EXPECT_FALSE(has("2", 3));
  EXPECT_TRUE(has("0-3", 0) && has("0-3", 3));
  EXPECT_FALSE(has("0-3", 4));
  EXPECT_TRUE(has("5-", 5) && has("5-", 1'000'000));
  EXPECT_FALSE(has("5-", 4));
  for (const char* text : {"", "-", "-3", "a", "3-1", "1-2-3", "1 - 2", "99999999999999999999", "0x2"})
    EXPECT_FALSE(query::read_layers(text)) << text;
}

TEST(Distance, CountsLettersAndLetsWildcardsTakeWhatTheyCan) {
  EXPECT_EQ(query::distance("query", "query"), 0u);
  EXPECT_EQ(query::distance("qery", "query"), 1u);
  EXPECT_EQ(query::distance("MatMull", "MatMul"), 1u);
  EXPECT_EQ(query::distance("encodr.*.attn", "encoder.12.attn"), 1u);
  EXPECT_EQ(query::distance("**.qery", "encoder.layer.0.query"), 1u);
  EXPECT_EQ(query::distance("*.b", "x.y.b"), 1u);  // a dot; letters are the star's
  EXPECT_EQ(query::distance("", "abc"), 3u);
  EXPECT_EQ(query::distance("abc", ""), 3u);
}

TEST(Nearest, KeepsAFewAndOneOfEachLayer) {
  query::Nearest nearest("encodr.layer.0.atention");
  for (const char* name : {"decoder", "encoder.layer.1.attention", "encoder.layer.0.attention",
                           "encoder.layer.0.retention", "encoder.layer.2.attention"})
    nearest.look_at(name);
  EXPECT_EQ(nearest.names(),
            (std::vector<std::string>{"encoder.layer.0.attention", "encoder.layer.0.retention"}));
}

TEST(Nearest, SaysNothingWhereAllIsFar) {
  query::Nearest nearest("pooler");
  nearest.look_at("encoder.layer");
  nearest.look_at("");
  EXPECT_TRUE(nearest.names().empty());
}

}  // namespace
}  // namespace thence::test
