// Finds the existing names nearest to an unknown one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thence::base {

/// The edit distance between a text and a pattern: insertions, deletions and substitutions. Text matched by
/// wildcards costs nothing.
std::size_t distance(std::string_view pattern, std::string_view text);

/// Collects the few names nearest to a pattern. One letter in three may differ, or two in a short name; or
/// the name contains the whole pattern, as "semantic_type" contains "type". Of names that differ only in
/// numbers, such as the same part of several layers, it keeps the first.
class Nearest {
 public:
  explicit Nearest(std::string_view pattern);

  void look_at(std::string_view name);
  /// Nearest first; empty if all are too far.
  std::vector<std::string> names() const;

 private:
  static constexpr std::size_t most_shown = 3, longest = 256, most_looked_at = 200'000, shortest_part = 4;
  std::size_t away(std::string_view name, std::size_t worst) const;

  struct Found {
    std::size_t distance;
    std::string name;
    std::string shape;  // the name without its numbers
  };
  std::string_view pattern_;
  bool wild_;
  std::size_t farthest_;
  std::size_t looked_at_ = 0;
  std::vector<Found> found_;  // sorted
};

/// The known word nearest to an unknown one; empty if all are too far.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace thence::base
