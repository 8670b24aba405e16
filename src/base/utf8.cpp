#include "base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "base/format.h"
#include "base/text.h"

namespace thence::base {

bool is_utf8(std::string_view text) {
  constexpr std::uint64_t not_ascii = 0x8080808080808080;
  for (std::size_t at = 0; at < text.size();) {
    std::uint64_t eight = not_ascii;
    if (text.size() - at >= sizeof eight) std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & not_ascii) == 0) {  // true for nearly all text
      at += sizeof eight;
      continue;
    }
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(at));
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string escape_invalid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = text.front() == '\0' ? 0 : utf8_length(text);
    if (length == 0)
      base::append_format(out, "\\x{:02x}", static_cast<unsigned char>(text.front()));
    else
      out.append(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace thence::base
