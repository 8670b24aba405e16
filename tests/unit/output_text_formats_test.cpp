#include "output/text_formats.h"

#include <gtest/gtest.h>

#include <set>

#include "output/tree_options.h"

namespace thence::output {
namespace {

TEST(TextFormats, AreFoundByTheirNames) {
  std::set<std::string_view> names;
  for (const TextFormat& format : text_formats()) {
    EXPECT_EQ(find_text_format(format.name), &format);
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
  }
  EXPECT_EQ(find_text_format("sqlite"), nullptr);
}

TEST(TreeOptions, MeasuresAreFoundByTheirNames) {
  EXPECT_EQ(measure_named("params"), Measure::parameters);
  EXPECT_EQ(measure_named("none"), Measure::none);
  EXPECT_EQ(measure_named("weight"), std::nullopt);
}

}  // namespace
}  // namespace thence::output
