#include "base/nearest.h"

#include <algorithm>

namespace thence::base {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string without_numbers(std::string_view name) {
  std::string shape;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (!is_digit(name[i]))
      shape.push_back(name[i]);
    else if (i == 0 || !is_digit(name[i - 1]))
      shape.push_back('#');
  return shape;
}

}  // namespace

std::size_t distance(std::string_view pattern, std::string_view text) {
  // Dynamic programming by rows: the cost for a prefix of the pattern and a prefix of the text.
  std::vector<std::size_t> above(text.size() + 1), row(text.size() + 1);
  for (std::size_t t = 0; t <= text.size(); ++t) above[t] = t;
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    const bool star = pattern[p] == '*';
    const bool many = star && p + 1 < pattern.size() && pattern[p + 1] == '*';
    if (many) ++p;
    row[0] = above[0] + (star ? 0 : 1);
    for (std::size_t t = 1; t <= text.size(); ++t) {
      const char letter = text[t - 1];
      if (star) {
        row[t] = std::min(above[t], row[t - 1] + (many || letter != '.' ? 0 : 1));
      } else {
        const bool same = pattern[p] == letter || (pattern[p] == '?' && letter != '.');
        row[t] = std::min({above[t - 1] + (same ? 0 : 1), above[t] + 1, row[t - 1] + 1});
      }
    }
    std::swap(above, row);
  }
  return above[text.size()];
}

Nearest::Nearest(std::string_view pattern)
    : pattern_(pattern.substr(0, longest)), wild_(pattern.find('*') != std::string_view::npos) {
  const auto letters = static_cast<std::size_t>(
      std::count_if(pattern_.begin(), pattern_.end(), [](char c) { return c != '*' && c != '?'; }));
  farthest_ = std::max<std::size_t>(2, letters / 3);
}

// Returns more than `worst` if the distance is greater than `worst`.
std::size_t Nearest::away(std::string_view name, std::size_t worst) const {
  const bool lengths_differ = name.size() + worst < pattern_.size() || pattern_.size() + worst < name.size();
  const std::size_t far = lengths_differ && !wild_ ? worst + 1 : distance(pattern_, name);
  if (far < name.size() && far <= worst) return far;
  const bool holds_it =
      pattern_.size() >= shortest_part && !wild_ && name.find(pattern_) != std::string_view::npos;
  return holds_it ? farthest_ : worst + 1;
}

void Nearest::look_at(std::string_view name) {
  if (name.empty() || name.size() > longest || ++looked_at_ > most_looked_at) return;
  const std::size_t worst = found_.size() < most_shown ? farthest_ : found_.back().distance;
  const std::size_t far = away(name, worst);
  if (far > worst) return;
  std::string shape = without_numbers(name);
  const auto alike =
      std::find_if(found_.begin(), found_.end(), [&](const Found& one) { return one.shape == shape; });
  if (alike != found_.end()) {
    if (alike->distance <= far) return;
    found_.erase(alike);
  }
  const auto place = std::upper_bound(found_.begin(), found_.end(), far,
                                      [](std::size_t d, const Found& one) { return d < one.distance; });
  found_.insert(place, {far, std::string(name), std::move(shape)});
  if (found_.size() > most_shown) found_.pop_back();
}

std::vector<std::string> Nearest::names() const {
  std::vector<std::string> names;
  for (const Found& one : found_) names.push_back(one.name);
  return names;
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  if (word.find_first_of("*?") != std::string_view::npos) return {};  // a word, not a pattern
  Nearest nearest(word);
  for (const std::string_view one : known) nearest.look_at(one);
  const std::vector<std::string> names = nearest.names();
  return names.empty() ? std::string_view() : *std::find(known.begin(), known.end(), names.front());
}

}  // namespace thence::base
