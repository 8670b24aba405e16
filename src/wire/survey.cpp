#include "wire/survey.h"

namespace thence::wire {

Survey survey(std::string_view file, std::uint8_t root_kind, const Layout& layout) {
  struct Open {
    Fields fields;
    std::uint8_t kind;
  };
  Survey result;
  result.counts.resize(layout.messages.size());
  std::vector<Open> open;
  open.reserve(static_cast<std::size_t>(max_depth) + 1);
  open.push_back({Fields(file), root_kind});
  const auto fail = [&](Fault fault, const char* where, std::uint8_t kind) {
    result.fault = fault;
    result.fault_offset = static_cast<std::uint64_t>(where - file.data());
    result.fault_kind = kind;
  };
  while (!open.empty()) {
    Open& top = open.back();
    const std::uint8_t kind = top.kind;
    auto& counts = result.counts[kind];
    const auto& inner = layout.messages[kind];
    bool entered = false;
    while (top.fields.next()) {
      const std::uint32_t field = top.fields.field();
      if (field >= counted_fields || top.fields.type() != Type::bytes) continue;
      ++counts[field];
      if (inner[field] == plain) continue;
      if (inner[field] == data) {
        result.data_bytes += top.fields.bytes().size();
        continue;
      }
      if (inner[field] >= packed_fixed32) {
        const bool whole = inner[field] == packed_fixed32
                               ? top.fields.bytes().size() % 4 == 0
                               : each_varint(top.fields, field, [](std::uint64_t) {});
        if (whole) continue;
        fail(Fault::packed_numbers, top.fields.start(), kind);
        return result;
      }
      if (open.size() > static_cast<std::size_t>(max_depth)) {
        fail(Fault::too_deep, top.fields.start(), kind);
        return result;
      }
      open.push_back({Fields(top.fields.bytes()), inner[field]});
      entered = true;
      break;
    }
    if (entered) continue;
    if (top.fields.fault() != Fault::none) {
      fail(top.fields.fault(), top.fields.fault_at(), kind);
      return result;
    }
    open.pop_back();
  }
  return result;
}

}  // namespace thence::wire
