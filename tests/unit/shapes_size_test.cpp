// Sizes: numbers, expressions of named sizes, and what does not fit or is not known.
#include "shapes/size.h"

#include <gtest/gtest.h>

#include <limits>

namespace thence::shapes {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

TEST(Sizes, DimensionNamesAreParsed) {
  Sizes sizes;
  const Size batch = sizes.parse_dimension("batch"), seq = sizes.parse_dimension("seq");
  EXPECT_EQ(sizes.parse_dimension("2*batch*seq + 1"),
            sizes.add(sizes.multiply(2, sizes.multiply(seq, batch)), 1));
  EXPECT_EQ(sizes.parse_dimension("seq - seq + 3"), Size(3));
  EXPECT_EQ(sizes.text(sizes.parse_dimension("seq*batch*seq")), "batch*seq^2");
  EXPECT_EQ(sizes.text(sizes.parse_dimension("Max(1, seq)")), "(Max(1, seq))");
  EXPECT_FALSE(sizes.parse_dimension("").known());
  EXPECT_FALSE(sizes.parse_dimension(std::string(1000, 'x')).known());
}

TEST(Sizes, GivenNamesAreNumbers) {
  Sizes sizes({{"batch", 4}});
  EXPECT_EQ(sizes.parse_dimension("batch"), Size(4));
  EXPECT_EQ(sizes.parse_dimension("batch*3 + 1"), Size(13));
}

TEST(Sizes, EqualExpressionsAreEqual) {
  Sizes sizes;
  const Size batch = sizes.parse_dimension("batch"), seq = sizes.parse_dimension("seq");
  EXPECT_EQ(sizes.multiply(batch, sizes.add(seq, 1)), sizes.add(sizes.multiply(seq, batch), batch));
  EXPECT_EQ(sizes.subtract(sizes.add(batch, 5), batch), Size(5));
  EXPECT_FALSE(batch == seq);
}

TEST(Sizes, DivisionIsExactOrBecomesANewName) {
  Sizes sizes;
  const Size seq = sizes.parse_dimension("seq");
  const Size all = sizes.multiply(sizes.multiply(seq, 12), sizes.add(seq, 1));
  EXPECT_EQ(sizes.divide(all, sizes.multiply(seq, 4)), sizes.add(sizes.multiply(seq, 3), 3));
  EXPECT_FALSE(sizes.divide(seq, 2).known());
  EXPECT_FALSE(sizes.divide(7, 2).known());
  EXPECT_FALSE(sizes.divide(7, 0).known());
  EXPECT_EQ(sizes.floor_divide(7, 2), Size(3));
  EXPECT_EQ(sizes.text(sizes.floor_divide(sizes.add(seq, 1), 2)), "((seq + 1)//2)");
  EXPECT_FALSE(sizes.floor_divide(-7, 2).known());
  EXPECT_FALSE(sizes.divide(std::numeric_limits<std::int64_t>::min(), -1).known());
}

TEST(Sizes, OverflowIsUnknown) {
  Sizes sizes;
  const Size n = sizes.parse_dimension("n");
  EXPECT_FALSE(sizes.multiply(largest, 2).known());
  EXPECT_FALSE(sizes.add(largest, 1).known());
  EXPECT_FALSE(sizes.multiply(sizes.multiply(n, largest), 2).known());
  EXPECT_FALSE(sizes.add(sizes.multiply(n, largest), n).known());
  Size power = 1;
  for (int i = 0; i < 100; ++i) power = sizes.multiply(power, n);
  EXPECT_FALSE(power.known());
  Size sum = 0;
  for (int i = 0; i < 1000; ++i) sum = sizes.add(sum, sizes.parse_dimension("n" + std::to_string(i)));
  EXPECT_FALSE(sum.known());
  EXPECT_EQ(sizes.multiply(0, Size()), Size(0));
}

TEST(Polynomial, IsUnchangedIfASumIsNotRepresentable) {
  Polynomial one(largest);
  EXPECT_FALSE(one.add(Polynomial(1)));
  EXPECT_EQ(one.number(), largest);
  EXPECT_FALSE(Polynomial(largest).add(Polynomial(largest), 3));
}

TEST(GivenSizes, AreUnusedUntilADimensionHasTheName) {
  Sizes sizes({{"batch", 2}, {"seq", 3}});
  EXPECT_EQ(sizes.unused_given().size(), 2u);
  EXPECT_EQ(sizes.parse_dimension("batch + n"), sizes.add(2, sizes.parse_dimension("n")));
  EXPECT_EQ(sizes.unused_given(), std::vector<std::string_view>{"seq"});
  EXPECT_EQ(sizes.unset_names(), std::vector<std::string>{"n"});
}

}  // namespace
}  // namespace thence::shapes
