// Reading what may be missing from a JSON object.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace thence::hierarchy {

// `object` may itself be missing: what another look-up gave.
inline std::string_view text_or(const auto& object, const char* key, std::string_view otherwise) {
  std::string_view value;
  return object[key].get_string().get(value) == simdjson::SUCCESS ? value : otherwise;
}

inline std::optional<std::uint64_t> number(const auto& object, const char* key) {
  std::uint64_t value = 0;
  if (object[key].get_uint64().get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

/// Calls `use` with each item of a list; not at all when there is none.
template <class Object, class Use>
void each(const Object& object, const char* key, Use use) {
  simdjson::dom::array list;
  if (object[key].get_array().get(list) != simdjson::SUCCESS) return;
  for (const simdjson::dom::element item : list) use(item);
}

}  // namespace thence::hierarchy
