#include "base/json_text.h"

#include <cstdint>

#include "base/format.h"
#include "base/plain_prefix.h"
#include "base/text.h"

namespace thence::base {
namespace {

// JSON is also printed on terminals, so control characters are escaped.
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
    else if (c == '"' || c == '\\')
      (out += '\\') += text.front();
    else if (c >= 0x20 && c < 0x7f)
      out.push_back(text.front());
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
  const std::size_t i = plain_prefix<'"', '\\'>(text);
  out.append(text.substr(0, i));
  if (i < text.size()) append_escaped(out, text.substr(i));
  out.push_back('"');
}

}  // namespace thence::base
