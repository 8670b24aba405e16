#include "base/json_text.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "base/format.h"
#include "base/text.h"

namespace thence::base {
namespace {

constexpr std::array<bool, 256> plain_table() {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x7f; ++c) table[c] = c != '"' && c != '\\';
  return table;
}
constexpr std::array<bool, 256> plain = plain_table();

// How long the text needs no escape. Eight bytes at a time: a byte needs a look when it is above 0x7e, below
// 0x20, a quote or a backslash.
std::size_t plain_prefix(std::string_view text) {
  constexpr std::uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  const auto zero_byte = [](std::uint64_t x) { return (x - ones) & ~x & highs; };
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    const std::uint64_t low = (word - ones * 0x20) & ~word & highs;
    if (((word & highs) | low | zero_byte(word ^ (ones * '"')) | zero_byte(word ^ (ones * '\\')) |
         zero_byte(word ^ (ones * 0x7f))) != 0)
      break;
  }
  while (i < text.size() && plain[static_cast<unsigned char>(text[i])]) ++i;
  return i;
}

// JSON is printed on terminals, too: what they would obey is escaped.
void append_character(std::string& out, std::string_view character) {
  if (is_printable(character)) {
    out.append(character);
    return;
  }
  std::uint32_t code = static_cast<unsigned char>(character[0]) & (0x7fU >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  if (code < 0x10000) {
    append_format(out, "\\u{:04x}", code);
    return;
  }
  code -= 0x10000;
  append_format(out, "\\u{:04x}\\u{:04x}", 0xd800 + (code >> 10), 0xdc00 + (code & 0x3ff));
}

void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text.front());
    if (length > 1)
      append_character(out, text.substr(0, length));
    else if (length == 0)
      base::append_format(out, "\\\\x{:02x}", c);
    else if (plain[c])
      out.push_back(text.front());
    else if (c == '"' || c == '\\')
      (out += '\\') += text.front();
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      base::append_format(out, "\\u{:04x}", c);
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  const std::size_t i = plain_prefix(text);
  out.append(text.substr(0, i));
  if (i < text.size()) append_escaped(out, text.substr(i));
  out.push_back('"');
}

void append_json_string_or_null(std::string& out, std::string_view text) {
  if (text.empty())
    out += "null";
  else
    append_json_string(out, text);
}

void append_number(std::string& out, std::uint64_t value) { append_format(out, "{}", value); }

}  // namespace thence::base
