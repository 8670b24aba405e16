// What tells how a file was written before entries were put in, as one line of text in the model's record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thence::edit {

/// How many bytes the tag and the length of a message took.
struct Widths {
  std::uint8_t tag = 0, length = 0;
};

struct Restore {
  /// Fields that held the IR version, as they were, where that was raised; an empty one was not there.
  std::vector<std::string> versions;
  /// Messages that were written longer than they need to be, by their place among all that are opened.
  std::unordered_map<std::uint64_t, Widths> widths;
  /// How many messages are opened: a file that has another number was written anew by somebody else.
  std::uint64_t messages = 0;

  bool empty() const { return versions.empty() && widths.empty(); }
  std::string print() const;
  /// None when the text is not one that print() gives.
  static std::optional<Restore> parse(std::string_view text);
};

}  // namespace thence::edit
