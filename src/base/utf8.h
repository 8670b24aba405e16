// Text for who takes any valid UTF-8, and nothing else.
#pragma once

#include <string>
#include <string_view>

namespace thence::base {

bool is_utf8(std::string_view text);

/// Bytes that are not UTF-8, and the character 0, as \xNN; the rest as it is.
std::string valid_utf8(std::string_view text);

}  // namespace thence::base
