#include "wire/survey.h"

namespace thence::wire {

Survey survey(std::string_view file, std::uint8_t root_kind, const Layout& layout, base::ReadAhead* ahead) {
  struct Open {
    Fields fields;
    std::uint32_t last;
    std::uint8_t kind;
  };
  Survey result;
  result.counts.resize(layout.messages.size());
  result.empty.resize(layout.messages.size());
  std::vector<Open> around;  // the messages around the one at hand
  around.reserve(static_cast<std::size_t>(max_depth));
  Fields fields(file);
  std::uint32_t last = 0;  // field
  std::uint8_t kind = root_kind;
  const char* steady = ahead != nullptr ? ahead->start() : file.data() + file.size();
  const auto fail = [&](Fault fault) {
    result.fault = fault;
    result.fault_offset = static_cast<std::uint64_t>(fields.start() - file.data());
    result.fault_kind = kind;
    return result;
  };
  for (;;) {
    auto& counts = result.counts[kind];
    const auto& inner = layout.messages[kind];
    std::uint8_t enter = plain;
    while (fields.next()) {
      const std::uint32_t field = fields.field();
      if (field < last) result.disordered |= std::uint64_t{1} << kind;
      last = field;
      if (field >= counted_fields || fields.type() != Type::bytes) continue;
      ++counts[field];
      if (fields.bytes().empty()) ++result.empty[kind][field];
      const std::uint8_t held = inner[field];
      if (held == plain) continue;
      if (held == data) {
        result.data_bytes += fields.bytes().size();
        if (ahead != nullptr && fields.bytes().size() >= base::ReadAhead::worth_a_jump)
          steady = ahead->jumped(fields.rest(), fields.bytes().size());
        continue;
      }
      if (held >= packed_fixed32) {
        const bool whole = held == packed_fixed32 ? fields.bytes().size() % 4 == 0
                                                  : each_varint(fields, field, [](std::uint64_t) {});
        if (!whole) return fail(Fault::packed_numbers);
        continue;
      }
      enter = held;
      break;
    }
    if (enter != plain) {
      if (around.size() >= static_cast<std::size_t>(max_depth)) return fail(Fault::too_deep);
      if (fields.start() >= steady) steady = ahead->reached(fields.start());
      around.push_back({fields, last, kind});
      fields = Fields(fields.bytes());
      last = 0;
      kind = enter;
    } else if (fields.fault() != Fault::none) {
      return fail(fields.fault());
    } else if (around.empty()) {
      return result;
    } else {
      fields = around.back().fields;
      last = around.back().last;
      kind = around.back().kind;
      around.pop_back();
    }
  }
}

}  // namespace thence::wire
