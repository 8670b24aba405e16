// Distributions ship the compiled part of fmt as a shared library, on which the program should not depend.
// This file uses fmt as header-only.
#define FMT_HEADER_ONLY
#include "base/format.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace thence::base::detail {
namespace {

template <class Use>
void visit(const FormatValue& value, Use use) {
  using enum FormatValue::Kind;
  switch (value.kind) {
    case boolean: return use(value.boolean);
    case character: return use(value.character);
    case integer: return use(value.integer);
    case natural: return use(value.natural);
    case real32: return use(value.real32);
    case real64: return use(value.real64);
    case text: return use(fmt::string_view(value.text.data(), value.text.size()));
  }
}

void append_digits(std::string& out, auto number) {
  std::array<char, 20> digits;  // enough for the longest: -9223372036854775808
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end);
}

// Handles "{}" of text and integers, the most frequent case, without fmt.
bool append_plain(std::string& out, const FormatValue& value) {
  switch (value.kind) {
    case FormatValue::Kind::text: out += value.text; return true;
    case FormatValue::Kind::integer: append_signed(out, value.integer); return true;
    case FormatValue::Kind::natural: append_unsigned(out, value.natural); return true;
    case FormatValue::Kind::character: out += value.character; return true;
    default: return false;
  }
}

}  // namespace

void invalid_pattern(const char*) {}

void append_signed(std::string& out, std::int64_t number) { append_digits(out, number); }
void append_unsigned(std::string& out, std::uint64_t number) { append_digits(out, number); }

void append_values(std::string& out, std::string_view pattern, std::span<const FormatValue> values) {
  std::size_t next = 0;
  while (!pattern.empty()) {
    const std::size_t brace = pattern.find_first_of("{}");
    out += pattern.substr(0, brace);
    if (brace == std::string_view::npos) return;
    pattern.remove_prefix(brace);
    if (pattern.size() > 1 && pattern[1] == pattern[0]) {
      out += pattern[0];
      pattern.remove_prefix(2);
      continue;
    }
    const std::string_view field = pattern.substr(0, field_end(pattern, 0));
    pattern.remove_prefix(field.size());
    const FormatValue& value = values[next++];
    if (field.size() == 2 && append_plain(out, value)) continue;
    const bool has_width = field.find('{', 1) != std::string_view::npos;
    visit(value, [&](auto plain) {
      const fmt::string_view text(field.data(), field.size());
      if (!has_width)
        return void(fmt::vformat_to(std::back_inserter(out), text, fmt::make_format_args(plain)));
      visit(values[next++], [&](auto width) {
        if constexpr (std::integral<decltype(width)>)
          fmt::vformat_to(std::back_inserter(out), text, fmt::make_format_args(plain, width));
      });
    });
  }
}

}  // namespace thence::base::detail
