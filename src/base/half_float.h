// Conversions of 16-bit floating-point numbers, given as their bits. They do not use _Float16: on arm64, C++
// has it only from GCC 13, and on x86-64 each conversion is a function call, while compilers vectorise these.
#pragma once

#include <bit>
#include <cstdint>

namespace thence::base {

inline float from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

inline float from_float16(std::uint16_t bits) {
  const std::uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023, sign = bits & 0x8000u;
  const float subnormal = static_cast<float>(fraction) * 0x1p-24f;
  // The exponent bias is 15 in float16 and 127 in float32; infinity and NaN have the largest exponent in
  // both.
  const std::uint32_t normal = (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
  return std::bit_cast<float>(sign << 16 |
                              (exponent == 0 ? std::bit_cast<std::uint32_t>(subnormal) : normal));
}

/// The bits of the nearest number, ties to even. Both zeros become 0. Too large numbers and NaN become
/// infinite. There are no branches, so that a compiler can convert several at a time.
inline std::uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t size = bits & 0x7fffffff, sign = size == 0 ? 0 : bits >> 16 & 0x8000;
  // Subnormal results: the addition rounds, and leaves the fraction in the lowest bits.
  const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) - 0x3f000000;
  const std::uint32_t normal = (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
  const std::uint32_t half = size < 0x38800000 ? small : normal;
  return static_cast<std::uint16_t>(sign | (size >= 0x47800000 ? 0x7c00 : half));
}

}  // namespace thence::base
