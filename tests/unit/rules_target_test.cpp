// New paths: the text that stars match, in place of their numbers.
#include "rules/target.h"

#include <gtest/gtest.h>

#include "base/glob.h"

namespace thence::rules {
namespace {

std::string moved(const char* pattern, const char* path, const char* target) {
  std::vector<std::string_view> captures;
  return base::Glob(pattern).matches(path, &captures) ? substitute_stars(target, captures) : "no";
}

TEST(Target, StarsAreNumberedFromTheLeft) {
  EXPECT_EQ(moved("encoder.layer.*.**", "encoder.layer.3.a.b", "block.{1}.{2}"), "block.3.a.b");
  EXPECT_EQ(moved("encoder.layer.*.**", "encoder.layer.3", "block.{1}.{2}"), "block.3");
  EXPECT_EQ(moved("**.q*_*", "a.q1_proj", "{1}.{3}.{2}"), "a.proj.1");
  EXPECT_EQ(moved("**.x.**.y", "a.x.b.x.c.y", "{1}/{2}"), "a/b.x.c");
  EXPECT_EQ(moved("**", "a.b", "{1}"), "a.b");
  EXPECT_EQ(moved("layer?.*", "layer1.conv", "{1}"), "conv");  // only stars have numbers
}

TEST(Target, BracesContainAStarNumber) {
  EXPECT_EQ(max_star_number("a.b"), 0u);
  EXPECT_EQ(max_star_number("a.{2}.{1}"), 2u);
  for (const char* wrong : {"{", "}", "{}", "{0}", "{a}", "a{1", "{-1}", "{99999999999999999999999}"})
    EXPECT_EQ(max_star_number(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace thence::rules
