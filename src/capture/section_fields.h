// Fields that several sections of a capture have.
#pragma once

#include "base/json.h"
#include "capture/recording.h"

namespace thence::capture {

inline std::string_view text(base::JsonValue object, const char* key) { return object[key].text_or({}); }

inline modules::CallNumber call_of(base::JsonValue object) {
  const std::optional<std::uint64_t> number = object["call"].natural();
  if (!number || *number > 0xffffffff) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

inline void read_shape(base::JsonValue item, RecordedValue& value) {
  const base::JsonValue sizes = item["shape"];
  value.has_shape = sizes.is_array();
  for (const base::JsonValue size : sizes.items()) value.shape.push_back(size.integer().value_or(-1));
}

inline void set_producers(Recording& recording) {
  const auto step = static_cast<std::uint32_t>(recording.steps.size() - 1);
  for (const std::uint32_t value : recording.outputs(step)) recording.values[value].producer = step;
}

}  // namespace thence::capture
