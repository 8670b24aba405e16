// Text for consumers that accept any valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace thence::base {

bool is_utf8(std::string_view text);

/// Writes bytes that are not UTF-8, and the character 0, as \xNN. Other text does not change.
std::string escape_invalid_utf8(std::string_view text);

}  // namespace thence::base
