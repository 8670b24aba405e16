// Glob: a pattern of dotted names, such as `encoder.layer.*.attention.**`. `*` stands for any part of one
// name, `**` for any number of names, none included.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thence::rules {

class Glob {
 public:
  static constexpr std::size_t longest = 256;  // bytes of a pattern
  static constexpr std::size_t most_names = 64;

  /// No longer than `longest`, with no more than `most_names` names.
  explicit Glob(std::string text);

  const std::string& text() const { return text_; }
  /// How many stars it has: {1}, {2} and so on are what they stood for.
  std::size_t stars() const { return stars_; }
  /// One name only, so that it is about a class whatever its module.
  bool is_one_name() const { return names_.size() == 1 && !names_.front().any_number; }

  /// The names are those between the dots of one text. `taken`, if given, gets what the stars stood for; each
  /// takes as little as it can, the first ones before the later ones.
  bool fits(std::span<const std::string_view> names, std::vector<std::string_view>* taken = nullptr) const;

 private:
  struct Name {
    bool any_number = false;          // it is `**`
    std::vector<std::string> pieces;  // between its stars
  };
  static bool fits(const Name& name, std::string_view text, std::vector<std::string_view>* taken);

  std::string text_;
  std::vector<Name> names_;
  std::size_t stars_ = 0;
};

}  // namespace thence::rules
