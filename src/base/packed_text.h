// Packs bytes into short printable text: compressed by zlib, and in base 64, because metadata of models must
// be text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace thence::base {

std::string pack_text(std::string_view bytes);

/// Empty if pack_text() did not write the text, or if it stands for more than `max_bytes`.
std::optional<std::string> unpack_text(std::string_view text, std::uint64_t max_bytes);

/// Appends a number in groups of seven bits, the lowest first; the length of a text, and the text.
void append_number(std::string& out, std::uint64_t value);
void append_text(std::string& out, std::string_view text);

/// Reads what these functions wrote. After a read past the end, failed() is true and all reads give nothing.
class PackedReader {
 public:
  explicit PackedReader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number();
  std::string_view text() { return bytes(number()); }
  std::string_view bytes(std::uint64_t size);
  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace thence::base
