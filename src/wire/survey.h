// A survey reads every message of a file once, without recursion. It checks that the bytes can be decoded,
// and counts the bytes fields of each kind, so that the reader can allocate exactly the memory it needs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/private_pages.h"
#include "base/read_ahead.h"
#include "wire/fields.h"

namespace thence::wire {

/// Deeper nesting is rejected, as in libprotobuf.
// errors.md: nested messages
inline constexpr int max_depth = 100;
/// Smaller weight data has no whole page for itself.
inline constexpr std::size_t min_large_data_bytes = 4096;
/// Fields with this number or a larger one are skipped and not counted.
inline constexpr std::uint32_t counted_fields = 32;

/// The contents of a bytes field other than a message: content that needs no check, packed numbers, or weight
/// data, whose size is summed.
inline constexpr std::uint8_t unchecked_bytes = 0, packed_varints = 254, packed_fixed32 = 253,
                              weight_data = 252;

/// For each kind of message, the contents of its fields: a kind of message, or one of the above.
struct Layout {
  std::vector<std::array<std::uint8_t, counted_fields>> messages;  // [kind][field]
};

struct Survey {
  // [kind][field], only for bytes fields: all of them, and the empty ones.
  std::vector<std::array<std::uint64_t, counted_fields>> counts, empty_counts;
  std::uint64_t data_bytes = 0;
  std::vector<base::ByteRange> large_data;  // weight data of min_large_data_bytes or more
  std::uint64_t disordered = 0;             // one bit per kind
  Fault fault = Fault::none;
  std::uint64_t fault_offset = 0;
  std::uint8_t fault_kind = 0;  // the kind of the message with the fault

  /// Whether the fields of all messages of a kind are in the order of their numbers, as nearly all writers
  /// write them. If so, a reader can stop after the last field of interest.
  bool operator==(const Survey&) const = default;
  bool in_order(std::uint8_t kind) const { return (disordered >> kind & 1) == 0; }
  std::uint64_t count(std::uint8_t kind, std::uint32_t field) const { return counts[kind][field]; }
  std::uint64_t count_nonempty(std::uint8_t kind, std::uint32_t field) const {
    return counts[kind][field] - empty_counts[kind][field];
  }
};

/// Reports the progress through a mapped file to `ahead`, if given.
Survey survey(std::string_view file, std::uint8_t root_kind, const Layout& layout,
              base::ReadAhead* ahead = nullptr);

}  // namespace thence::wire
