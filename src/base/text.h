// Text from a model file may contain any bytes. These functions make it safe to print, and split it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thence::base {

/// For a terminal or a table: writes control characters, escape codes and invalid UTF-8 as \xNN or \n. Other
/// text does not change.
std::string printable(std::string_view text);

/// Whether printable() would change nothing.
bool is_printable(std::string_view text);

/// The number of bytes of the UTF-8 character at the front; 0 if it is not valid UTF-8.
std::size_t utf8_length(std::string_view text);

/// The number of terminal columns, one per character.
std::size_t display_width(std::string_view text);

bool is_digits(std::string_view text);

/// Natural order: runs of digits compare as numbers, so that "layer2" is before "layer10".
bool is_before_naturally(std::string_view a, std::string_view b);

/// The parts between separators. Never empty: "" has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

/// "fc_12" is "fc" and 12. Only a plain decimal without leading zeros counts, so that the parts determine the
/// name.
struct NumberedName {
  std::string_view base;
  unsigned number;
};
bool take_number_suffix(std::string_view text, NumberedName& out);

}  // namespace thence::base
