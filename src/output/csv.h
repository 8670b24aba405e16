// Fields of CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace thence::output {

/// Spreadsheets evaluate a cell that begins with = + - or @. `escaped` puts an apostrophe before such text,
/// so that they show it. Numbers are not escaped.
enum class Formulas { escaped, kept };

/// Whether the format is `csv` or `csv-raw`.
bool is_csv(std::string_view format);
Formulas formulas_in(std::string_view format);

/// Appends a field, quoted if necessary.
void append_csv_field(std::string& out, std::string_view text, Formulas formulas);
/// Quotes text that is already in `out`, from `begin` to the end.
void quote_csv_field(std::string& out, std::size_t begin, Formulas formulas);

}  // namespace thence::output
