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
std::size_t edit_distance(std::string_view pattern, std::string_view text);

/// Collects the few names nearest to a pattern. One letter in three may differ, or two in a short name; or
/// the name contains the whole pattern, as "semantic_type" contains "type". Of names that differ only in
/// numbers, such as the same part of several layers, it keeps the first.
class NearestNames {
 public:
  explicit NearestNames(std::string_view pattern);

  void add(std::string_view name);
  /// Nearest first; empty if all are too far.
  std::vector<std::string> names() const;

 private:
  std::size_t bounded_distance(std::string_view name, std::size_t bound) const;

  struct Match {
    std::size_t distance;
    std::string name;
    std::string number_free_name;  // the name without its numbers
  };
  std::string_view pattern_;
  bool has_star_;
  std::size_t max_distance_;
  std::size_t compared_ = 0;
  std::vector<Match> matches_;  // sorted
};

/// The hint of an error about an unknown name: the nearest names, or all names if they are few.
class NameHint {
 public:
  explicit NameHint(std::string_view pattern) : nearest_(pattern) {}

  void add(std::string_view name);
  bool has_names() const { return !first_.empty(); }
  bool has_near() const { return !nearest_.names().empty(); }
  /// "the nearest: a, b" or "there are: a, b, c"; empty if no name is near and there are too many to list.
  std::string text() const;

 private:
  NearestNames nearest_;
  std::vector<std::string> first_;  // the first names, at most one more than are listed
};

/// The known word nearest to an unknown one; empty if all are too far.
std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known);

}  // namespace thence::base
