// Copies parts of a mapped file into memory of this process, at the same addresses. Another process may
// change the file while it is read; what was checked once must then stay as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace thence::base {

/// Offsets in a file; the end is not included.
struct ByteRange {
  std::uint64_t begin = 0, end = 0;
  bool operator==(const ByteRange&) const = default;
};

/// Copies all pages of a private mapping that are not entirely inside these ranges, which are in ascending
/// order.
std::optional<Error> make_private(std::string_view mapped, const std::vector<ByteRange>& except);

}  // namespace thence::base
