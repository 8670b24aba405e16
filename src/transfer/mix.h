// Hashes that are built up from numbers.
#pragma once

#include <cstdint>

namespace thence::transfer {

/// Every bit of x decides every bit of the result.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Of a hash and one more number after it.
constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t next) {
  return mixed(hash * 0x9e3779b97f4a7c15 + next + 0x7f4a7c15);
}

}  // namespace thence::transfer
