// Parses lists of strings that exporters write in Python syntax: ['', 'blocks.0', "it's"].
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thence::hierarchy {

/// Returns the strings of a Python list of strings. Empty if the text is anything else, or has more than
/// max_list_items items. One pass, no recursion.
std::optional<std::vector<std::string>> parse_string_list(std::string_view text);

}  // namespace thence::hierarchy
