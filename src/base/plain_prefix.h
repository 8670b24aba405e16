// Finds the printable ASCII prefix of a text. Nearly all text in models is printable ASCII, so formats copy
// the prefix and examine only the rest.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace thence::base {

namespace detail {

/// Whether all eight bytes are printable ASCII and none is in `excluded`. Only the highest bit of each byte
/// of the results counts: for ASCII bytes it stays 0, unless the addition overflows or the subtraction
/// borrows.
template <char... excluded>
bool is_plain_word(const char* bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  const std::uint64_t beyond = word | (word + ones), control = word - ones * 0x20;
  const std::uint64_t equal =
      (std::uint64_t{0} | ... | ((word ^ ones * static_cast<unsigned char>(excluded)) - ones));
  return ((beyond | control | equal) & highs) == 0;
}

}  // namespace detail

/// The number of bytes at the front that are printable ASCII (0x20 to 0x7e) and not in `excluded`.
template <char... excluded>
std::size_t plain_prefix(std::string_view text) {
  static constexpr auto plain = [] {
    std::array<bool, 256> table{};
    for (std::size_t c = 0x20; c < 0x7f; ++c) table[c] = ((c != static_cast<std::size_t>(excluded)) && ...);
    return table;
  }();
  std::size_t at = 0;
  while (at + 8 <= text.size() && detail::is_plain_word<excluded...>(text.data() + at)) at += 8;
  // Fewer than eight bytes are left: check the last eight, some of them for the second time.
  if (text.size() >= 8 && at + 8 > text.size() &&
      detail::is_plain_word<excluded...>(text.data() + text.size() - 8))
    return text.size();
  while (at < text.size() && plain[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

}  // namespace thence::base
