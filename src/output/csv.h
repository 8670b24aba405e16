// Fields of CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace thence::output {

/// Spreadsheets compute a cell that begins with = + - or @. `escaped` puts an apostrophe before such text, so
/// that they show it; numbers stay as they are.
enum class Formulas { escaped, kept };

/// The formats `csv` and `csv-raw`.
bool is_csv(std::string_view format);
Formulas formulas_in(std::string_view format);

/// Appends a field, quoted where it must be.
void append_csv_field(std::string& out, std::string_view text, Formulas formulas);
/// The same for text that is already there, from `begin` to the end.
void quote_csv_field(std::string& out, std::size_t begin, Formulas formulas);

}  // namespace thence::output
