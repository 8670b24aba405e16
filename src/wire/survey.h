// A survey walks every message of a file once, without recursion: it proves that the bytes decode, and
// counts each kind of bytes field, so that whoever reads next can set aside exactly what is needed.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

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
  std::vector<std::array<std::uint64_t, counted_fields>> counts;  // [kind][field], of bytes fields only
  std::uint64_t data_bytes = 0;
  Fault fault = Fault::none;
  std::uint64_t fault_offset = 0;
  std::uint8_t fault_kind = 0;  // the kind of message it is in

  std::uint64_t count(std::uint8_t kind, std::uint32_t field) const { return counts[kind][field]; }
};

Survey survey(std::string_view file, std::uint8_t root_kind, const Layout& layout);

}  // namespace thence::wire
