// All 65,536 numbers, converted in both directions.
#include "base/half_float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace thence::base {
namespace {

constexpr std::uint32_t all = 1u << 16;

// By the definition of the format.
double expected_value(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31), fraction = static_cast<int>(bits & 1023);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Float16, EveryNumberHasItsValue) {
  for (std::uint32_t bits = 0; bits < all; ++bits) {
    const double value = from_float16(static_cast<std::uint16_t>(bits)), expected = expected_value(bits);
    if (std::isnan(expected))
      ASSERT_TRUE(std::isnan(value)) << bits;
    else
      ASSERT_EQ(value, expected) << bits;
  }
}

TEST(Float16, EveryNumberComesBack) {
  for (std::uint32_t bits = 0; bits < all; ++bits) {
    const float value = from_float16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_float16(value), bits == 0x8000 ? 0 : bits);
  }
}

TEST(Float16, RoundsToTheNearestAndTiesToEven) {
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const auto low = static_cast<float>(expected_value(bits)),
               high = static_cast<float>(expected_value(bits + 1));
    const float middle = (low + high) / 2;
    ASSERT_EQ(to_float16(middle), bits % 2 == 0 ? bits : bits + 1) << bits;
    ASSERT_EQ(to_float16(std::nextafter(middle, low)), bits) << bits;
    ASSERT_EQ(to_float16(std::nextafter(middle, high)), bits + 1) << bits;
  }
}

TEST(Float16, LargeNumbersAreInfinite) {
  EXPECT_EQ(to_float16(65536.0f), 0x7c00);
  EXPECT_EQ(to_float16(65520.0f), 0x7c00);
  EXPECT_EQ(to_float16(65519.0f), 0x7bff);
  EXPECT_EQ(to_float16(-std::numeric_limits<float>::infinity()), 0xfc00);
  EXPECT_EQ(to_float16(-0.0f), 0);
  EXPECT_EQ(to_float16(1e-30f), 0);
}

TEST(Bfloat16, IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(from_bfloat16(0x3f80), 1.0f);
  EXPECT_EQ(from_bfloat16(0xc040), -3.0f);
  EXPECT_EQ(from_bfloat16(0xff80), -std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace thence::base
