#include "rules/nearest.h"

#include <algorithm>
#include <vector>

namespace thence::rules {
namespace {

// How many letters must change to make one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) return {};
  std::string_view best;
  std::size_t least = longest;
  for (const std::string_view one : known) {
    // "type" for "semantic_type": a part of the word counts as near.
    const bool part = word.size() >= 4 && one.find(word) != std::string_view::npos;
    const std::size_t away = part ? 1 : distance(word, one);
    if (away < least && away <= std::max<std::size_t>(2, one.size() / 3)) {
      least = away;
      best = one;
    }
  }
  return best;
}

}  // namespace thence::rules
