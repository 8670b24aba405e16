// Text from a model file is anybody's bytes. These make it safe to show, and cut it up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thence::base {

/// For a terminal or a table: control characters, escape codes and invalid UTF-8 as \xNN or \n, the
/// rest as it is.
std::string printable(std::string_view text);

/// True when printable() would change nothing.
bool is_printable(std::string_view text);

/// How many bytes the UTF-8 character at the front takes; 0 when it is not valid UTF-8.
std::size_t utf8_length(std::string_view text);

/// How many columns a terminal gives it, one a character.
std::size_t columns(std::string_view text);

bool is_digits(std::string_view text);

/// The pieces between separators; never empty: "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

/// "fc_12" is "fc" and 12. Only a plain decimal without leading zero counts, so that a name can be
/// put together again from its parts.
struct NumberedName {
  std::string_view base;
  unsigned number;
};
bool take_number_suffix(std::string_view text, NumberedName& out);

}  // namespace thence::base
