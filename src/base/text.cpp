#include "base/text.h"

#include <algorithm>

#include "base/plain_prefix.h"

namespace thence::base {
namespace {

bool is_continuation(unsigned char c) { return (c & 0xc0) == 0x80; }

struct Range {
  char32_t first, last;
};
// Invisible characters that change what a terminal shows: C1 controls, marks that change the direction of
// text, and characters without width, which make different names look the same.
constexpr Range deceptive_ranges[] = {
    {0x80, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f},
    {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

// `character` is one UTF-8 character of two bytes or more.
bool is_deceptive(std::string_view character) {
  if (character.empty()) return false;
  char32_t code = static_cast<unsigned char>(character[0]) & (0x7fU >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  return std::any_of(std::begin(deceptive_ranges), std::end(deceptive_ranges),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

// The number of bytes of the character at the front if it can be shown unchanged; otherwise 0.
std::size_t printable_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = utf8_length(text);
  return is_deceptive(text.substr(0, length)) ? 0 : length;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  // #lizard forgives: table 3-7 of the Unicode Standard, well-formed byte sequences, row by row.
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return text.size() >= 2 && is_continuation(at(1)) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (text.size() < 3 || !is_continuation(at(1)) || !is_continuation(at(2))) return 0;
    if (first == 0xe0 && at(1) < 0xa0) return 0;  // overlong
    if (first == 0xed && at(1) > 0x9f) return 0;  // surrogate
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (text.size() < 4 || !is_continuation(at(1)) || !is_continuation(at(2)) || !is_continuation(at(3)))
      return 0;
    if (first == 0xf0 && at(1) < 0x90) return 0;
    if (first == 0xf4 && at(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

bool is_printable(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(plain_prefix<>(text));
    if (text.empty()) return true;
    const std::size_t length = printable_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text) {
  if (is_printable(text)) return std::string(text);
  static constexpr char hex[] = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = printable_length(text);
    if (length > 0) {
      out.append(text.substr(0, length));
    } else if (const auto at = std::string_view("\n\t\r").find(text.front()); at != std::string_view::npos) {
      length = 1;
      out.push_back('\\');
      out.push_back("ntr"[at]);
    } else {
      length = std::max<std::size_t>(utf8_length(text), 1);
      for (const char c : text.substr(0, length)) {
        const auto byte = static_cast<unsigned char>(c);
        out += "\\x";
        out.push_back(hex[byte >> 4]);
        out.push_back(hex[byte & 15]);
      }
    }
    text.remove_prefix(length);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return !is_continuation(static_cast<unsigned char>(c)); }));
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_before_naturally(std::string_view a, std::string_view b) {
  const std::string_view all_of_a = a, all_of_b = b;
  const auto take_digits = [](std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
    return digits;
  };
  while (!a.empty() && !b.empty()) {
    const std::string_view number = take_digits(a), other = take_digits(b);
    if (number.empty() != other.empty()) return !number.empty();  // numbers come before other text
    if (number.size() != other.size()) return number.size() < other.size();
    if (number != other) return number < other;
    if (!number.empty()) continue;
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && b.empty() ? all_of_a < all_of_b : a.empty();
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  for (;;) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

bool take_number_suffix(std::string_view text, NumberedName& out) {
  const std::size_t underscore = text.rfind('_');
  if (underscore == std::string_view::npos || underscore == 0) return false;
  const std::string_view digits = text.substr(underscore + 1);
  if (!is_digits(digits) || digits.size() > 9 || (digits.size() > 1 && digits.front() == '0')) return false;
  out.base = text.substr(0, underscore);
  out.number = 0;
  for (char c : digits) out.number = out.number * 10 + static_cast<unsigned>(c - '0');
  return true;
}

}  // namespace thence::base
