#include "base/brief.h"

#include <gtest/gtest.h>

namespace thence::base {
namespace {

TEST(Brief, KeepsShortTextAndEscapesIt) { EXPECT_EQ(brief("a\x1b[2J"), "a\\x1b[2J"); }

TEST(Brief, CutsLongTextInTheMiddle) {
  const std::string text = std::string(1000, 'a') + "end";
  EXPECT_LT(brief(text).size(), 420);
  EXPECT_TRUE(brief(text).starts_with("aaa"));
  EXPECT_TRUE(brief(text).ends_with("aend"));
}

}  // namespace
}  // namespace thence::base
