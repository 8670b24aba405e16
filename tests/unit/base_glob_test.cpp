// Globs of paths and of words: what matches, and what their stars capture.
#include "base/glob.h"

#include <gtest/gtest.h>

namespace thence::test {
namespace {

using base::Glob;

struct Case {
  const char* pattern;
  const char* path;
  bool matches;
};

class Globs : public testing::TestWithParam<Case> {};

TEST_P(Globs, Match) {
  const Case& one = GetParam();
  EXPECT_EQ(Glob(one.pattern).matches(one.path), one.matches) << one.pattern << " " << one.path;
}

INSTANTIATE_TEST_SUITE_P(
    All, Globs,
    testing::Values(
        Case{"encoder.layer.0", "encoder.layer.0", true}, Case{"encoder.layer", "encoder.layer.0", false},
        Case{"encoder.layer.*.attention", "encoder.layer.3.attention", true},
        Case{"encoder.layer.*.attention", "encoder.layer.3.a.attention", false},
        Case{"encoder.layer.*.attention", "encoder.layer.attention", false}, Case{"*", "encoder", true},
        Case{"*", "encoder.layer", false}, Case{"*", "", false}, Case{"", "", true}, Case{"", "a", false},
        Case{"**", "", true}, Case{"**", "a.b.c", true}, Case{"**.query", "query", true},
        Case{"**.query", "a.b.query", true}, Case{"**.query", "a.query.b", false},
        Case{"**.query.**", "a.query.b", true}, Case{"a.**.b.**.c", "a.b.b.x.c", true},
        Case{"a.**.b.**.c", "a.x.c", false}, Case{"a.**", "a", true}, Case{"a.**", "ab", false},
        Case{"la*r.?", "layer.7", true}, Case{"la*r.?", "layer.17", false}, Case{"*a*b*", "xaybz", true},
        Case{"*a*b", "xbya", false}, Case{"**.*", "", false}, Case{"**.**", "", true},
        Case{"a**b", "axxb", true}, Case{"a**b", "ax.xb", false},
        Case{"encoder.layer.*", "encoder.layer", false}, Case{"layer*.conv*a", "layer1.conv_a", true},
        Case{"layer*.conv*a", "layer1.conv_b", false}, Case{"aba*aba", "aba", false},
        Case{"a*b*c", "a1b2b3c", true}, Case{"**.norm", "encoder.xnorm", false},
        Case{"**.a.**.b", "a.x.a.y.z.b", true}, Case{"**.a.**.b", "a.x.a.y.z.c", false},
        Case{"*.", "a.", true}, Case{"*.", "a", false}, Case{"a?", "a.", false}, Case{"a.?", "a.", false}));

TEST(Glob, IgnoresDotsInAWord) {
  EXPECT_TRUE(Glob("com.*").matches_word("com.microsoft.experimental"));
  EXPECT_TRUE(Glob("Mat*").matches_word("MatMul"));
  EXPECT_FALSE(Glob("Mat").matches_word("MatMul"));
}

struct Stars {
  const char* pattern;
  const char* path;
  std::vector<std::string_view> captures;
};

TEST(Glob, CapturesTextOfStars) {
  const Stars all[] = {
      {"encoder.layer.*.**", "encoder.layer.3.a.b", {"3", "a.b"}},
      {"encoder.layer.*.**", "encoder.layer.3", {"3", ""}},
      {"**.q*_*", "a.q1_proj", {"a", "1", "proj"}},
      {"**.x.**.y", "a.x.b.x.c.y", {"a", "b.x.c"}},  // each takes as little as it can
      {"**.*.c", "a.b.c", {"a", "b"}},
      {"**.a*.b*.**", "a1.x.a2.b3", {"a1.x", "2", "3", ""}},
      {"**.**", "a.b", {"", "a.b"}},
      {"*a*", "a", {"", ""}},
      {"*?*", "xyz", {"", "yz"}},
      {"a*b*c", "a1b2b3c", {"1", "2b3"}},
      {"**", "", {""}},
      {"a.b", "a.b", {}},
  };
  for (const Stars& one : all) {
    std::vector<std::string_view> captures;
    EXPECT_TRUE(Glob(one.pattern).matches(one.path, &captures)) << one.pattern;
    EXPECT_EQ(captures, one.captures) << one.pattern;
    EXPECT_EQ(Glob(one.pattern).star_count(), one.captures.size()) << one.pattern;
  }
}

TEST(Glob, TakesBoundedTime) {
  std::string pattern, path;
  for (int i = 0; i < 250; ++i) pattern += "**.*a*";
  for (int i = 0; i < 60; ++i) path += "aaaaaaaaaaaaaaab.";
  EXPECT_FALSE(Glob(pattern).matches(path + "c"));
}

}  // namespace
}  // namespace thence::test
