// A survey walks every message of a file once, without recursion: it proves that the bytes decode, and
// counts each kind of bytes field, so that whoever reads next can set aside exactly what is needed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/read_ahead.h"
#include "wire/fields.h"

namespace thence::wire {

/// Messages nested deeper than this are refused, as libprotobuf refuses them.
inline constexpr int max_depth = 100;
/// Field numbers from here on are walked over but not counted.
inline constexpr std::uint32_t counted_fields = 32;

/// What a bytes field may hold besides a message: nothing that needs a look, numbers packed together, or
/// a weight's data, which is added up but not looked at.
inline constexpr std::uint8_t plain = 0, packed_varints = 254, packed_fixed32 = 253, data = 252;

/// For each kind of message, what its fields hold: a kind of message, or one of the above.
struct Layout {
  std::vector<std::array<std::uint8_t, counted_fields>> messages;  // [kind][field]
};

struct Survey {
  // [kind][field], of bytes fields only: all, and those without a single byte.
  std::vector<std::array<std::uint64_t, counted_fields>> counts, empty;
  std::uint64_t data_bytes = 0;
  std::uint64_t disordered = 0;  // a bit for each kind
  Fault fault = Fault::none;
  std::uint64_t fault_offset = 0;
  std::uint8_t fault_kind = 0;  // the kind of message it is in

  /// Whether in all messages of a kind the fields, known or not, come in the order of their numbers, as
  /// writers nearly always have them: then what comes after the last field of interest need not be looked at.
  bool in_order(std::uint8_t kind) const { return (disordered >> kind & 1) == 0; }
  std::uint64_t count(std::uint8_t kind, std::uint32_t field) const { return counts[kind][field]; }
  std::uint64_t count_filled(std::uint8_t kind, std::uint32_t field) const {
    return counts[kind][field] - empty[kind][field];
  }
};

/// `ahead`, if given, hears how the walk goes through a mapped file.
Survey survey(std::string_view file, std::uint8_t root_kind, const Layout& layout,
              base::ReadAhead* ahead = nullptr);

}  // namespace thence::wire
