#include "edit/original_encoding.h"

#include <algorithm>
#include <charconv>
#include "base/format.h"

namespace thence::edit {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += base::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

template <class Number>
bool take_number(std::string_view& text, Number& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool take_hex(std::string_view text, std::string& bytes) {
  for (; text.size() >= 2; text.remove_prefix(2)) {
    std::string_view two = text.substr(0, 2);
    unsigned byte = 0;
    if (!take_number(two, byte, 16) || !two.empty()) return false;
    bytes.push_back(static_cast<char>(byte));
  }
  return text.empty();
}

bool take_widths(std::string_view text, OriginalEncoding& encoding) {
  std::uint64_t message = 0;
  unsigned tag = 0, length = 0;
  if (!take_number(text, message) || !take(text, ':') || !take_number(text, tag) || !take(text, ':') ||
      !take_number(text, length) || !text.empty())
    return false;
  if (tag < 1 || tag > 5 || length < 1 || length > 10) return false;
  encoding.widths[message] = {static_cast<std::uint8_t>(tag), static_cast<std::uint8_t>(length)};
  return true;
}

}  // namespace

// "messages 3412 version 0803 17:1:5 18:1:5"
std::string OriginalEncoding::format() const {
  std::string text = base::format("messages {}", messages);
  for (const std::string& version : versions)
    text += base::format(" version {}", version.empty() ? "-" : hex(version));
  std::vector<std::pair<std::uint64_t, Widths>> sorted(widths.begin(), widths.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [message, width] : sorted)
    text += base::format(" {}:{}:{}", message, width.tag, width.length);
  return text;
}

std::optional<OriginalEncoding> OriginalEncoding::parse(std::string_view text) {
  OriginalEncoding encoding;
  const auto word = [&] {
    const std::string_view found = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(found.size() + 1, text.size()));
    return found;
  };
  if (word() != "messages") return std::nullopt;
  std::string_view count = word();
  if (!take_number(count, encoding.messages) || !count.empty()) return std::nullopt;
  while (!text.empty()) {
    const std::string_view next = word();
    if (next == "version") {
      const std::string_view bytes = word();
      std::string version;
      if (bytes != "-" && !take_hex(bytes, version)) return std::nullopt;
      encoding.versions.push_back(std::move(version));
    } else if (!take_widths(next, encoding)) {
      return std::nullopt;
    }
  }
  return encoding;
}

}  // namespace thence::edit
