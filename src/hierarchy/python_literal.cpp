#include "hierarchy/python_literal.h"

#include <cstdint>

#include "hierarchy/limits.h"

namespace thence::hierarchy {
namespace {

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xc0 | c >> 6));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | c >> 12));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  } else {
    out.push_back(static_cast<char>(0xf0 | c >> 18));
    out.push_back(static_cast<char>(0x80 | (c >> 12 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c >> 6 & 0x3f)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3f)));
  }
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  void skip_spaces() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
  }
  bool consume(char c) {
    skip_spaces();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool at_end() {
    skip_spaces();
    return text_.empty();
  }

  bool read_string(std::string& out) {
    skip_spaces();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return false;
    const char quote = text_.front();
    text_.remove_prefix(1);
    while (!text_.empty()) {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == quote) return true;
      if (c != '\\') {
        out.push_back(c);
      } else if (!read_escape(out)) {
        return false;
      }
    }
    return false;
  }

 private:
  bool read_escape(std::string& out) {
    if (text_.empty()) return false;
    const char c = text_.front();
    text_.remove_prefix(1);
    switch (c) {
      case '\\':
      case '\'':
      case '"': out.push_back(c); return true;
      case 'n': out.push_back('\n'); return true;
      case 'r': out.push_back('\r'); return true;
      case 't': out.push_back('\t'); return true;
      case 'x': return read_code_point(out, 2);
      case 'u': return read_code_point(out, 4);
      case 'U': return read_code_point(out, 8);
      default: return false;
    }
  }
  bool read_code_point(std::string& out, std::size_t digits) {
    if (text_.size() < digits) return false;
    std::uint32_t value = 0;
    for (const char c : text_.substr(0, digits)) {
      std::uint32_t digit = 0;
      if (c >= '0' && c <= '9')
        digit = static_cast<std::uint32_t>(c - '0');
      else if (c >= 'a' && c <= 'f')
        digit = static_cast<std::uint32_t>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F')
        digit = static_cast<std::uint32_t>(c - 'A' + 10);
      else
        return false;
      value = value << 4 | digit;
    }
    if (value > 0x10ffff) return false;
    text_.remove_prefix(digits);
    append_utf8(out, value);
    return true;
  }

  std::string_view text_;
};

}  // namespace

std::optional<std::vector<std::string>> parse_string_list(std::string_view text) {
  Scanner scan(text);
  std::vector<std::string> items;
  if (!scan.consume('[')) return std::nullopt;
  while (!scan.consume(']')) {
    if (!items.empty() && !scan.consume(',')) return std::nullopt;
    if (!items.empty() && scan.consume(']')) break;  // a trailing comma
    if (items.size() == max_list_items || !scan.read_string(items.emplace_back())) return std::nullopt;
  }
  if (!scan.at_end()) return std::nullopt;
  return items;
}

}  // namespace thence::hierarchy
