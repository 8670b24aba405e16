// JSON strings; JsonWriter writes everything else. Strings of a model may contain any bytes. Bytes that are
// not valid UTF-8 are written as the text \xNN.
#pragma once

#include <string>
#include <string_view>

namespace thence::base {

void append_json_string(std::string& out, std::string_view text);

}  // namespace thence::base
