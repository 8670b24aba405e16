// The names that are nearest to one that nothing has.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thence::base {

/// How many letters must be put in, taken out or exchanged until a text fits a pattern. Wildcards take what
/// they can for nothing.
std::size_t distance(std::string_view pattern, std::string_view text);

/// Gathers the few names that are nearest to a pattern: a letter in three may differ, or two of a few; or the
/// name holds the whole pattern, as "semantic_type" does "type". Of those that differ in numbers alone, as
/// the same part of several layers does, it keeps the first.
class Nearest {
 public:
  explicit Nearest(std::string_view pattern);

  void look_at(std::string_view name);
  /// Nearest first; none when all are far.
  std::vector<std::string> names() const;

 private:
  static constexpr std::size_t most_shown = 3, longest = 256, most_looked_at = 200'000, shortest_part = 4;
  std::size_t away(std::string_view name, std::size_t worst) const;

  struct Found {
    std::size_t distance;
    std::string name;
    std::string shape;  // the name with its numbers left out
  };
  std::string_view pattern_;
  bool wild_;
  std::size_t farthest_;
  std::size_t looked_at_ = 0;
  std::vector<Found> found_;  // sorted
};

/// The nearest of the words that there are to one that is none of them; empty when all are far.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace thence::base
