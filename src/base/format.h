// Formats text in the common syntax of fmt and std::format: "{}", "{:>8}", "{:.4g}", "{:{}}". Patterns are
// checked at compile time. The headers of fmt are large, so only format.cpp includes them.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace thence::base {

/// One value of a pattern. It refers to text without copying it.
class FormatValue {
 public:
  enum class Kind : std::uint8_t { boolean, character, integer, natural, real32, real64, text };

  template <class T>
  static constexpr Kind kind_of() {
    if constexpr (std::same_as<T, bool>) return Kind::boolean;
    if constexpr (std::same_as<T, char>) return Kind::character;
    if constexpr (std::signed_integral<T> && !std::same_as<T, char>) return Kind::integer;
    if constexpr (std::unsigned_integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>)
      return Kind::natural;
    if constexpr (std::same_as<T, float>) return Kind::real32;
    if constexpr (std::same_as<T, double>) return Kind::real64;
    if constexpr (std::convertible_to<const T&, std::string_view>) return Kind::text;
  }

  template <class T>
  constexpr FormatValue(const T& value) : kind(kind_of<T>()) {  // NOLINT: a conversion on purpose
    if constexpr (kind_of<T>() == Kind::boolean) boolean = value;
    if constexpr (kind_of<T>() == Kind::character) character = value;
    if constexpr (kind_of<T>() == Kind::integer) integer = value;
    if constexpr (kind_of<T>() == Kind::natural) natural = value;
    if constexpr (kind_of<T>() == Kind::real32) real32 = value;
    if constexpr (kind_of<T>() == Kind::real64) real64 = value;
    if constexpr (kind_of<T>() == Kind::text) text = value;
  }

  Kind kind;
  union {
    bool boolean;
    char character;
    std::int64_t integer;
    std::uint64_t natural;
    float real32;
    double real64;
    std::string_view text;
  };
};

namespace detail {

/// The end of the replacement field that begins at `begin`: the position after its closing brace.
constexpr std::size_t field_end(std::string_view pattern, std::size_t begin) {
  std::size_t depth = 0;
  for (std::size_t at = begin; at < pattern.size(); ++at) {
    if (pattern[at] == '{') ++depth;
    if (pattern[at] == '}' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

constexpr bool matches_type(char type, FormatValue::Kind kind) {
  using enum FormatValue::Kind;
  if (type == 'x' || type == 'X' || type == 'd') return kind == integer || kind == natural;
  if (type == 'f' || type == 'g' || type == 'e') return kind == real32 || kind == real64;
  return true;
}

/// Not constexpr, so that a pattern that calls it does not compile.
void invalid_pattern(const char* why);

/// Checks a field, without its braces, against the kinds of the remaining values. Returns the number of
/// values that it uses.
constexpr std::size_t check_field(std::string_view field, std::span<const FormatValue::Kind> kinds) {
  const std::size_t used = field.find('{') == std::string_view::npos ? 1 : 2;  // a width or a precision
  if (!field.empty() && field.front() != ':')
    invalid_pattern("values have no numbers or names");
  else if (used > kinds.size())
    invalid_pattern("more fields than values");
  else if (!field.empty() && !matches_type(field.back(), kinds.front()))
    invalid_pattern("a type does not suit its value");
  return used;
}

constexpr void check_pattern(std::string_view pattern, std::span<const FormatValue::Kind> kinds) {
  std::size_t used = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '{' && pattern[at] != '}') continue;
    if (at + 1 < pattern.size() && pattern[at + 1] == pattern[at]) {
      ++at;
      continue;
    }
    const std::size_t end = pattern[at] == '{' ? field_end(pattern, at) : std::string_view::npos;
    if (end == std::string_view::npos) return invalid_pattern("a brace has no partner");
    used += check_field(pattern.substr(at + 1, end - at - 2), kinds.subspan(used));
    at = end - 1;
  }
  if (used != kinds.size()) invalid_pattern("more values than fields");
}

void append_values(std::string& out, std::string_view pattern, std::span<const FormatValue> values);
void append_signed(std::string& out, std::int64_t number);
void append_unsigned(std::string& out, std::uint64_t number);

}  // namespace detail

/// A pattern for values of these types, checked at compile time.
template <class... Values>
class FormatPattern {
 public:
  template <std::convertible_to<std::string_view> Text>
  consteval FormatPattern(const Text& pattern) : text_(pattern) {  // NOLINT: a conversion on purpose
    constexpr std::array<FormatValue::Kind, sizeof...(Values)> kinds{
        FormatValue::kind_of<std::remove_cvref_t<Values>>()...};
    detail::check_pattern(text_, kinds);
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

template <class... Values>
void append_format(std::string& out, FormatPattern<std::type_identity_t<Values>...> pattern,
                   const Values&... values) {
  const std::array<FormatValue, sizeof...(Values)> list{FormatValue(values)...};
  detail::append_values(out, pattern.text(), list);
}

template <class... Values>
std::string format(FormatPattern<std::type_identity_t<Values>...> pattern, const Values&... values) {
  std::string out;
  append_format(out, FormatPattern<std::type_identity_t<Values>...>(pattern), values...);
  return out;
}

/// Appends the number in decimal digits, like "{}", without parsing a pattern.
template <std::integral Number>
void append_integer(std::string& out, Number number) {
  if constexpr (std::signed_integral<Number>)
    detail::append_signed(out, number);
  else
    detail::append_unsigned(out, number);
}

/// Joins the items as text, with the separator between them.
template <class Items>
std::string joined(const Items& items, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    append_format(out, "{}", item);
  }
  return out;
}

}  // namespace thence::base
