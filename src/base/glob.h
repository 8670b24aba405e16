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
  // errors.md: selectors; the text of each
  static constexpr std::size_t max_length = 1024;

  explicit Glob(std::string_view pattern);

  /// Whether a path matches. Parts are separated by dots, and the empty path has none. `captures`, if given,
  /// gets the text that each star matches, from the left. Each star matches as little as possible, earlier
  /// ones first. It is valid only if the path matches.
  bool matches(std::string_view path, std::vector<std::string_view>* captures = nullptr) const;
  /// The same for a single word, in which dots have no meaning.
  bool matches_word(std::string_view word) const;

  const std::string& text() const { return text_; }
  /// The number of stars; a part `**` counts as one.
  std::size_t star_count() const;
  /// The length of the longest text between two wildcards of any length. After a mismatch this text is
  /// compared again at the next position, so all of it may be compared at every position.
  std::size_t longest_run() const { return longest_run_; }

 private:
  enum class PartKind { literal, wildcard, single_star, double_star };
  static PartKind kind_of(std::string_view part);
  struct Part {
    std::string text;
    PartKind kind;
    bool matches(std::string_view word, std::vector<std::string_view>* captures) const;
  };
  std::string text_;
  std::vector<Part> parts_;
  std::size_t longest_run_;
  bool is_literal_;  // has no wildcards, so it matches only itself
};

}  // namespace thence::base
