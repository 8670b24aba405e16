// OriginalEncoding: how a file was encoded before entries were added. It is one line of text in the model's
// record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thence::edit {

/// The number of bytes of a message's tag and length.
struct Widths {
  std::uint8_t tag = 0, length = 0;
};

struct OriginalEncoding {
  /// The original IR version fields, if the version was raised. An empty entry means that there was no field.
  std::vector<std::string> versions;
  /// Messages with longer encodings than necessary, by their index among all opened messages.
  std::unordered_map<std::uint64_t, Widths> widths;
  /// The number of opened messages. If a file has another number, another tool has rewritten it.
  std::uint64_t messages = 0;

  bool empty() const { return versions.empty() && widths.empty(); }
  std::string format() const;
  /// Empty if print() did not write the text.
  static std::optional<OriginalEncoding> parse(std::string_view text);
};

}  // namespace thence::edit
