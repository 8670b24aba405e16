// Glob: a pattern of dotted paths, such as `encoder.layer.*.attention.**`. `*` stands for anything within one
// part, `?` for one character, and a part `**` for any number of parts, none included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thence::base {

class Glob {
 public:
  static constexpr std::size_t max_length = 1024;  // what users may write; longer ones work, and take longer

  explicit Glob(std::string_view pattern);

  /// Whether a path fits; its parts are separated by dots, and the empty path has none. `taken`, if given,
  /// gets what the stars stood for, from the left; each takes as little as it can, the first ones before the
  /// later ones. It is of use only if the path fits.
  bool fits(std::string_view path, std::vector<std::string_view>* taken = nullptr) const;
  /// The same for a single word, in which dots mean nothing.
  bool fits_word(std::string_view word) const;

  const std::string& text() const { return text_; }
  /// How many stars it has; `**` as a part is one.
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
  bool exact_;  // without wildcards: it fits itself alone
};

}  // namespace thence::base
