// Strings of JSON; JsonWriter writes the rest. Strings from a model may hold any bytes: those that are not
// valid UTF-8 are written as \xNN, spelled out.
#pragma once

#include <string>
#include <string_view>

namespace thence::base {

void append_json_string(std::string& out, std::string_view text);

}  // namespace thence::base
