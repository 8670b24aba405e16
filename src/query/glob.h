// Glob: a pattern of paths. `*` stands for anything within one part, `?` for one character, and a part `**`
// for any number of parts, none included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thence::query {

class Glob {
 public:
  static constexpr std::size_t max_length = 1024;

  explicit Glob(std::string_view pattern);

  /// Whether a path fits; its parts are separated by dots, and the empty path has none.
  bool fits(std::string_view path) const;
  /// The same for a single word, in which dots mean nothing.
  bool fits_word(std::string_view word) const;

  const std::string& text() const { return text_; }
  /// Without wildcards: it fits itself alone.
  bool exact() const { return exact_; }

 private:
  enum class Kind { literal, wild, any };
  struct Part {
    std::string text;
    Kind kind;
    bool fits(std::string_view word) const;
  };
  std::string text_;
  std::vector<Part> parts_;
  bool exact_;
};

}  // namespace thence::query
