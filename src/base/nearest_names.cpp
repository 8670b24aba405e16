#include "base/nearest_names.h"

#include <algorithm>

#include "base/format.h"
#include "base/limits.h"
#include "base/text.h"

namespace thence::base {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string without_numbers(std::string_view name) {
  std::string number_free_name;
  for (std::size_t i = 0; i < name.size(); ++i)
    if (!is_digit(name[i]))
      number_free_name.push_back(name[i]);
    else if (i == 0 || !is_digit(name[i - 1]))
      number_free_name.push_back('#');
  return number_free_name;
}

std::string join_printable(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(printable(name));
  return format("{}", joined(shown, ", "));
}

}  // namespace

std::size_t edit_distance(std::string_view pattern, std::string_view text) {
  // Dynamic programming by rows: the cost for a prefix of the pattern and a prefix of the text.
  std::vector<std::size_t> previous_row(text.size() + 1), row(text.size() + 1);
  for (std::size_t t = 0; t <= text.size(); ++t) previous_row[t] = t;
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    const bool is_star = pattern[p] == '*';
    const bool is_double_star = is_star && p + 1 < pattern.size() && pattern[p + 1] == '*';
    if (is_double_star) ++p;
    row[0] = previous_row[0] + (is_star ? 0 : 1);
    for (std::size_t t = 1; t <= text.size(); ++t) {
      const char letter = text[t - 1];
      if (is_star) {
        row[t] = std::min(previous_row[t], row[t - 1] + (is_double_star || letter != '.' ? 0 : 1));
      } else {
        const bool same = pattern[p] == letter || (pattern[p] == '?' && letter != '.');
        row[t] = std::min({previous_row[t - 1] + (same ? 0 : 1), previous_row[t] + 1, row[t - 1] + 1});
      }
    }
    std::swap(previous_row, row);
  }
  return previous_row[text.size()];
}

NearestNames::NearestNames(std::string_view pattern)
    : pattern_(pattern.substr(0, max_compared_name_bytes)),
      has_star_(pattern.find('*') != std::string_view::npos) {
  const auto letters = static_cast<std::size_t>(
      std::count_if(pattern_.begin(), pattern_.end(), [](char c) { return c != '*' && c != '?'; }));
  max_distance_ = std::max<std::size_t>(2, letters / 3);
}

// Returns more than `worst` if the distance is greater than `worst`.
std::size_t NearestNames::bounded_distance(std::string_view name, std::size_t bound) const {
  const bool lengths_differ = name.size() + bound < pattern_.size() || pattern_.size() + bound < name.size();
  const std::size_t distance = lengths_differ && !has_star_ ? bound + 1 : edit_distance(pattern_, name);
  if (distance < name.size() && distance <= bound) return distance;
  const bool contains_pattern =
      pattern_.size() >= min_substring_bytes && !has_star_ && name.find(pattern_) != std::string_view::npos;
  return contains_pattern ? max_distance_ : bound + 1;
}

void NearestNames::add(std::string_view name) {
  if (name.empty() || name.size() > max_compared_name_bytes || ++compared_ > max_compared_names) return;
  const std::size_t bound = matches_.size() < max_suggestions ? max_distance_ : matches_.back().distance;
  const std::size_t distance = bounded_distance(name, bound);
  if (distance > bound) return;
  std::string number_free_name = without_numbers(name);
  const auto same_shape = std::find_if(matches_.begin(), matches_.end(), [&](const Match& one) {
    return one.number_free_name == number_free_name;
  });
  if (same_shape != matches_.end()) {
    if (same_shape->distance <= distance) return;
    matches_.erase(same_shape);
  }
  const auto position = std::upper_bound(matches_.begin(), matches_.end(), distance,
                                         [](std::size_t d, const Match& one) { return d < one.distance; });
  matches_.insert(position, {distance, std::string(name), std::move(number_free_name)});
  if (matches_.size() > max_suggestions) matches_.pop_back();
}

std::vector<std::string> NearestNames::names() const {
  std::vector<std::string> names;
  for (const Match& one : matches_) names.push_back(one.name);
  return names;
}

void NameHint::add(std::string_view name) {
  nearest_.add(name);
  if (first_.size() <= max_listed_names) first_.emplace_back(name.substr(0, max_shown_name_bytes));
}

std::string NameHint::text() const {
  if (const std::vector<std::string> names = nearest_.names(); !names.empty())
    return "the nearest: " + join_printable(names);
  return first_.empty() || first_.size() > max_listed_names ? "" : "there are: " + join_printable(first_);
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known) {
  if (word.find_first_of("*?") != std::string_view::npos) return {};  // a word, not a pattern
  NearestNames nearest(word);
  for (const std::string_view one : known) nearest.add(one);
  const std::vector<std::string> names = nearest.names();
  return names.empty() ? std::string_view() : *std::find(known.begin(), known.end(), names.front());
}

}  // namespace thence::base
