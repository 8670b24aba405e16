#include "base/packed_text.h"

#include <zlib.h>

#include <algorithm>
#include <array>

#include "base/memory_limit.h"

namespace thence::base {
namespace {

constexpr std::uint64_t max_ratio = 1100;  // of deflate, rounded up

// The number of bytes, and a zlib stream.
std::string compress(std::string_view bytes) {
  std::string out;
  append_number(out, bytes.size());
  const std::size_t start = out.size();
  uLongf size = compressBound(bytes.size());
  out.resize(start + size);
  // The space is that of the worst case, so that only memory can be missing.
  if (compress2(reinterpret_cast<Bytef*>(out.data() + start), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION) != Z_OK)
    report_exhausted_memory();
  out.resize(start + size);
  return out;
}

std::optional<std::string> decompress(std::string_view packed, std::uint64_t max_bytes) {
  PackedReader reader(packed);
  const std::uint64_t size = reader.number();
  // No memory for a mere promise: deflate makes at most about a thousand bytes of one.
  if (reader.failed() || size > max_bytes || size / max_ratio > packed.size()) return std::nullopt;
  std::string out(static_cast<std::size_t>(size), '\0');
  uLongf written = out.size();
  uLong read = reader.rest().size();
  const int status = uncompress2(reinterpret_cast<Bytef*>(out.data()), &written,
                                 reinterpret_cast<const Bytef*>(reader.rest().data()), &read);
  if (status == Z_MEM_ERROR) report_exhausted_memory();
  if (status != Z_OK || written != size || read != reader.rest().size()) return std::nullopt;
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
