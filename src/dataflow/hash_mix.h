// Hashes built up from numbers.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/text_hash.h"

namespace thence::dataflow {

/// The finaliser of SplitMix64: every bit of x changes every bit of the result.
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A hash extended by one more number.
constexpr std::uint64_t combine_hash(std::uint64_t hash, std::uint64_t next) {
  return mix_bits(hash * 0x9e3779b97f4a7c15 + next + 0x7f4a7c15);
}

/// The hash of a text, the same in every run.
inline std::uint64_t stable_hash(std::string_view text) { return base::text_hash(text, 0x7468656e6365); }

}  // namespace thence::dataflow
