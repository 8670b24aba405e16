// JSON's primitives. Strings from a model may hold any bytes: what is not valid UTF-8 is written as \xNN,
// spelled out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace thence::base {

void append_json_string(std::string& out, std::string_view text);
/// The string, or null when it is empty.
void append_json_string_or_null(std::string& out, std::string_view text);
void append_number(std::string& out, std::uint64_t value);

}  // namespace thence::base
