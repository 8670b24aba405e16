#include "output/fitted_table.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace thence::output {
namespace {

using Widths = std::vector<std::size_t>;

TEST(TruncateMiddle, KeepsBothEnds) {
  EXPECT_EQ(truncate_middle("encoder.layer.0.attention", 11), "encod…ntion");
  EXPECT_EQ(truncate_middle("short", 5), "short");
  EXPECT_EQ(base::display_width(truncate_middle("encoder.layer.0.attention", 10)), 10u);
}

TEST(TruncateMiddle, NeverSplitsACharacter) {
  for (std::size_t width = 1; width < 8; ++width) {
    const std::string cut = truncate_middle("äöüßéàç…ñ", width);
    EXPECT_EQ(base::display_width(cut), width) << cut;
    EXPECT_TRUE(base::is_printable(cut)) << cut;
  }
}

TEST(FitWidths, KeepsWidthsThatFit) {
  Widths widths = {10, 20};
  fit_widths(widths, {8, 8}, 32);
  EXPECT_EQ(widths, (Widths{10, 20}));
}

TEST(FitWidths, ShrinksTheWidestFirst) {
  Widths widths = {10, 40, 20};
  fit_widths(widths, {8, 8, 8}, 54);  // 50 without the gaps
  EXPECT_EQ(widths, (Widths{10, 20, 20}));
}

TEST(FitWidths, DistributesTheRest) {
  Widths widths = {30, 30};
  fit_widths(widths, {8, 8}, 33);
  EXPECT_EQ(widths, (Widths{16, 15}));
}

TEST(FitWidths, KeepsMinimumWidths) {
  Widths widths = {30, 30};
  fit_widths(widths, {12, 8}, 10);
  EXPECT_EQ(widths, (Widths{12, 8}));
}

}  // namespace
}  // namespace thence::output
