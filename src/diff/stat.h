// Stat: the differences in each module as numbers, and by how much its weights changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diff/diff_kind.h"

namespace thence::diff {

struct StatOptions {
  /// Modules deeper than this are added to the module of this depth around them; 0 is the root. Nothing: no
  /// module is.
  std::optional<std::size_t> depth;
};

/// One line of `diff --stat`.
struct StatRow {
  std::string path;
  bool known = true;  // false: nodes whose module is not known
  std::size_t nodes_a = 0, nodes_b = 0;
  Counts counts{};
  std::size_t weights = 0;      // of A that have a counterpart in B; one that several nodes read counts once
  std::size_t changed = 0;      // those with other numbers, quantised ones included
  std::size_t unmeasured = 0;   // those whose numbers cannot be compared one by one
  double norm = 0, change = 0;  // sums of squares: of A's weights, and of the changes; without `unmeasured`

  std::size_t differences() const {
    std::size_t sum = 0;
    for (const std::size_t each : counts) sum += each;
    return sum;
  }
  /// ||new - old|| / ||old||. Nothing without weights, or if the quotient is no number.
  std::optional<double> relative_change() const;
};

/// The path of the module at most `depth` levels below the root.
std::string_view path_at_depth(std::string_view path, std::optional<std::size_t> depth);

}  // namespace thence::diff
