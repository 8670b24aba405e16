// Hashes of texts. A table keyed by texts of a file is seeded with process_seed(), so that a malicious file
// cannot cause collisions.
#pragma once

#include <cstdint>
#include <string_view>

namespace thence::base {

/// Different in each run; no output may depend on it.
std::uint64_t process_seed();

std::uint64_t text_hash(std::string_view text, std::uint64_t seed);

}  // namespace thence::base
