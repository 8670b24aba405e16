// Patterns: what fits, and what their stars stand for.
#include <gtest/gtest.h>

#include "base/text.h"
#include "rules/glob.h"
#include "rules/nearest.h"
#include "rules/target.h"

namespace thence::rules {
namespace {

bool fits(const char* pattern, const char* path) { return Glob(pattern).fits(base::split(path, '.')); }

std::string moved(const char* pattern, const char* path, const char* target) {
  std::vector<std::string_view> taken;
  return Glob(pattern).fits(base::split(path, '.'), &taken) ? filled(target, taken) : "no";
}

TEST(Glob, AStarStaysWithinAName) {
  EXPECT_TRUE(fits("encoder.layer.*", "encoder.layer.0"));
  EXPECT_FALSE(fits("encoder.layer.*", "encoder.layer"));
  EXPECT_FALSE(fits("encoder.layer.*", "encoder.layer.0.norm"));
  EXPECT_TRUE(fits("layer*.conv*a", "layer1.conv_a"));
  EXPECT_FALSE(fits("layer*.conv*a", "layer1.conv_b"));
  EXPECT_FALSE(fits("aba*aba", "aba"));  // its ends may not share letters
  EXPECT_TRUE(fits("a*b*c", "a1b2b3c"));
}

TEST(Glob, TwoStarsTakeAnyNumberOfNames) {
  EXPECT_TRUE(fits("**.norm", "norm"));
  EXPECT_TRUE(fits("**.norm", "encoder.layer.0.norm"));
  EXPECT_FALSE(fits("**.norm", "encoder.norm.weight"));
  EXPECT_TRUE(fits("encoder.**", "encoder"));
  EXPECT_TRUE(fits("encoder.**", "encoder.layer.0"));
  EXPECT_FALSE(fits("encoder.**", "decoder.layer"));
  EXPECT_TRUE(fits("**.a.**.b", "a.x.a.y.z.b"));
  EXPECT_FALSE(fits("**.a.**.b", "a.x.a.y.z.c"));
  EXPECT_TRUE(fits("**", "x.y"));
}

TEST(Glob, StarsAreNumberedFromTheLeft) {
  EXPECT_EQ(moved("encoder.layer.*.**", "encoder.layer.3.a.b", "block.{1}.{2}"), "block.3.a.b");
  EXPECT_EQ(moved("encoder.layer.*.**", "encoder.layer.3", "block.{1}.{2}"), "block.3");
  EXPECT_EQ(moved("**.q*_*", "a.q1_proj", "{1}.{3}.{2}"), "a.proj.1");
  EXPECT_EQ(moved("**.x.**.y", "a.x.b.x.c.y", "{1}/{2}"), "a/b.x.c");  // each takes as little as it can
  EXPECT_EQ(moved("**", "a.b", "{1}"), "a.b");
}

TEST(Target, BracesHoldTheNumberOfAStar) {
  EXPECT_EQ(most_star("a.b"), 0u);
  EXPECT_EQ(most_star("a.{2}.{1}"), 2u);
  for (const char* wrong : {"{", "}", "{}", "{0}", "{a}", "a{1", "{-1}", "{99999999999999999999999}"})
    EXPECT_EQ(most_star(wrong), std::nullopt) << wrong;
}

TEST(Nearest, OneThatIsNearOrNone) {
  const std::string_view words[] = {"path", "class", "semantic_type", "component"};
  EXPECT_EQ(nearest("paht", words), "path");
  EXPECT_EQ(nearest("clas", words), "class");
  EXPECT_EQ(nearest("type", words), "semantic_type");
  EXPECT_EQ(nearest("colour", words), "");
  EXPECT_EQ(nearest("", words), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), words), "");
}

}  // namespace
}  // namespace thence::rules
