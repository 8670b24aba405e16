#include "output/csv.h"

#include <charconv>
#include <string_view>

#include "base/plain_prefix.h"
#include "base/text.h"

namespace thence::output {
namespace {

bool is_plain_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Some spreadsheets treat the full-width forms the same way.
bool looks_like_formula(std::string_view text) {
  constexpr std::string_view ascii = "=+-@";
  constexpr std::string_view full_width[] = {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
  if (text.empty()) return false;
  if (static_cast<unsigned char>(text.front()) < 0x80) return ascii.find(text.front()) != ascii.npos;
  for (const std::string_view sign : full_width)
    if (text.starts_with(sign)) return true;
  return false;
}

// Whether a field needs no quotes. This is true for nearly all fields, and faster than the other checks.
bool is_plain(std::string_view text, Formulas formulas) {
  if (text.empty()) return true;
  const char first = text.front();
  const bool is_formula = first == '=' || first == '+' || first == '-' || first == '@';
  return (!is_formula || formulas == Formulas::kept) && base::plain_prefix<',', '"'>(text) == text.size();
}

void append_quoted(std::string& out, std::string_view raw, Formulas formulas) {
  const std::string text = base::printable(raw);
  const std::string_view before =
      formulas == Formulas::escaped && looks_like_formula(text) && !is_plain_number(text) ? "'" : "";
  if (text.find_first_of(",\"") == std::string::npos) {
    out += before;
    out += text;
    return;
  }
  out.push_back('"');
  out += before;
  for (const char c : text) {
    if (c == '"') out.push_back('"');
    out.push_back(c);
  }
  out.push_back('"');
}

}  // namespace

bool is_csv(std::string_view format) { return format == "csv" || format == "csv-raw"; }

Formulas formulas_in(std::string_view format) {
  return format == "csv-raw" ? Formulas::kept : Formulas::escaped;
}

void quote_csv_field(std::string& out, std::size_t begin, Formulas formulas) {
  const std::string_view text = std::string_view(out).substr(begin);
  if (is_plain(text, formulas)) return;
  const std::string raw(text);
  out.resize(begin);
  append_quoted(out, raw, formulas);
}

void append_csv_field(std::string& out, std::string_view text, Formulas formulas) {
  if (is_plain(text, formulas))
    out += text;
  else
    append_quoted(out, text, formulas);
}

}  // namespace thence::output
