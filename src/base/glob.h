// Glob: a pattern of dotted paths, such as `encoder.layer.*.attention.**`. `*` matches any text within one
// part, `?` one character, and a part `**` any number of parts, including none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thence::base {

class Glob {
 public:
  // Limit for patterns of users; longer ones work, but take longer.
  static constexpr std::size_t max_length = 1024;

  explicit Glob(std::string_view pattern);

  /// Whether a path matches. Parts are separated by dots, and the empty path has none. `taken`, if given,
  /// gets the text that each star matches, from the left. Each star matches as little as possible, earlier
  /// ones first. It is valid only if the path matches.
  bool fits(std::string_view path, std::vector<std::string_view>* taken = nullptr) const;
  /// The same for a single word, in which dots have no meaning.
  bool fits_word(std::string_view word) const;

  const std::string& text() const { return text_; }
  /// The number of stars; a part `**` counts as one.
  std::size_t stars() const;

 private:
  enum class Kind { literal, wild, one, any };
  static Kind kind_of(std::string_view part);
  struct Part {
    std::string text;
    Kind kind;
    bool fits(std::string_view word, std::vector<std::string_view>* taken) const;
  };
  std::string text_;
  std::vector<Part> parts_;
  bool exact_;  // has no wildcards, so it matches only itself
};

}  // namespace thence::base
