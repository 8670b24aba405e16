// Reads a JSON array of any length item by item, in bounded memory. The text is cut into chunks of whole
// items, and each chunk is parsed by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"

namespace thence::base {

struct JsonStreamError {
  std::string text;          // what is wrong
  std::uint64_t offset = 0;  // near which byte
};

/// Calls `use` with each item of the array that `text` is. An item is valid during the call only; `use`
/// returns false to end the reading. Returns why the text is not such an array, after the items before that
/// place.
std::optional<JsonStreamError> for_each_json_item(std::string_view text,
                                                  const std::function<bool(JsonValue)>& use);

}  // namespace thence::base
