#include "base/packed_text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace thence::base {
namespace {

// A reference to an earlier occurrence takes up to eight bytes, so shorter ones do not pay off. Occurrences
// are found by the hash of their first bytes.
constexpr std::size_t min_match_bytes = 6;
constexpr unsigned hash_bits = 18;

std::size_t hash_at(std::string_view bytes, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, min_match_bytes);
  return static_cast<std::size_t>((word * 0x9e3779b97f4a7c15u) >> (64 - hash_bits));
}

std::size_t match_length(std::string_view bytes, std::size_t a, std::size_t b) {
  std::size_t length = 0;
  while (b + length < bytes.size() && bytes[a + length] == bytes[b + length]) ++length;
  return length;
}

// The bytes up to the next reference, then the length and the distance of what the reference repeats. Length
// 0 ends the text.
std::string compress(std::string_view bytes) {
  std::string out;
  append_number(out, bytes.size());
  std::vector<std::size_t> last(std::size_t{1} << hash_bits, bytes.size());  // by hash: the last position
  std::size_t literal = 0;
  for (std::size_t at = 0; at + min_match_bytes <= bytes.size();) {
    std::size_t& known = last[hash_at(bytes, at)];
    const std::size_t from = known;
    known = at;
    const std::size_t length = from < at ? match_length(bytes, from, at) : 0;
    if (length < min_match_bytes) {
      ++at;
      continue;
    }
    append_text(out, bytes.substr(literal, at - literal));
    append_number(out, length);
    append_number(out, at - from);
    const std::size_t end = at + length;
    for (++at; at < end; ++at)
      if (at + min_match_bytes <= bytes.size()) last[hash_at(bytes, at)] = at;
    literal = end;
  }
  append_text(out, bytes.substr(literal));
  append_number(out, 0);
  return out;
}

std::optional<std::string> decompress(std::string_view packed, std::uint64_t max_bytes) {
  PackedReader reader(packed);
  const std::uint64_t size = reader.number();
  if (size > max_bytes) return std::nullopt;
  std::string out;
  out.reserve(std::min<std::uint64_t>(size, 64 * packed.size()));  // no memory for a mere promise
  while (!reader.failed()) {
    out.append(reader.text());
    const std::uint64_t length = reader.number();
    if (length == 0) break;
    const std::uint64_t distance = reader.number();
    if (distance == 0 || distance > out.size() || length > size - std::min<std::uint64_t>(size, out.size()))
      return std::nullopt;
    for (std::uint64_t i = 0; i < length; ++i) out.push_back(out[out.size() - distance]);
  }
  if (reader.failed() || !reader.at_end() || out.size() != size) return std::nullopt;
  return out;
}

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string encode_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t word = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    for (std::size_t i = 0; i < 3; ++i)
      word = word << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out.push_back(i <= count ? digits[word >> (18 - 6 * i) & 63] : '=');
  }
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  std::array<std::uint8_t, 256> value{};
  value.fill(0xff);
  for (std::size_t i = 0; i < digits.size(); ++i)
    value[static_cast<unsigned char>(digits[i])] = static_cast<std::uint8_t>(i);
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t word = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const std::uint8_t digit = value[static_cast<unsigned char>(c)];
    if (digit == 0xff) return std::nullopt;
    word = word << 6 | digit;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out.push_back(static_cast<char>(word >> bits & 0xff));
  }
  return out;
}

}  // namespace

std::string pack_text(std::string_view bytes) { return encode_base64(compress(bytes)); }

std::optional<std::string> unpack_text(std::string_view text, std::uint64_t max_bytes) {
  const std::optional<std::string> packed = decode_base64(text);
  return packed ? decompress(*packed, max_bytes) : std::nullopt;
}

void append_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void append_text(std::string& out, std::string_view text) {
  append_number(out, text.size());
  out.append(text);
}

std::uint64_t PackedReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return failed_ ? 0 : value;
  }
  failed_ = true;
  return 0;
}

std::string_view PackedReader::bytes(std::uint64_t size) {
  if (failed_ || size > rest_.size()) {
    failed_ = true;
    return {};
  }
  const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
  rest_.remove_prefix(taken.size());
  return taken;
}

}  // namespace thence::base
