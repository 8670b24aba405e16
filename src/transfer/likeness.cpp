#include "transfer/likeness.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "transfer/mix.h"

namespace thence::transfer {
namespace {

constexpr std::size_t samples = 256, first_samples = 64;
constexpr std::size_t most_candidates = 4096;
// How much two weights go together: the one, and any other. Short ones are a little like many.
constexpr double alike = 0.9, next_best = 0.6, the_same = 0.995;
// The same of rows or columns, of which some are looked at.
constexpr std::uint64_t most_lines = 32, most_in_line = 16;
constexpr double alike_lines = 0.97, other_lines = 0.9;
// What goes together less in the first samples is not looked at any further.
constexpr double at_first = 0.2;

// Some of so many elements, in an order that depends on their places only.
template <class ElementAt>
std::vector<double> sampled(std::uint64_t elements, ElementAt element_at) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < samples; ++i) values.push_back(element_at(mixed(i, elements) % elements));
  return values;
}

// Of a weight; of a matrix also as its transpose would have them.
std::vector<double> sampled(const Constant& constant, bool transposed) {
  const std::uint64_t rows = constant.rows, columns = constant.columns();
  return sampled(constant.elements, [&](std::uint64_t index) {
    if (transposed) index = index % rows * columns + index / rows;
    return constant.element(index / columns * constant.stride + index % columns);
  });
}

// A row as its direction: two of them times each other is how much they go together.
std::vector<float> direction_of(const double* values, std::size_t count) {
  double mean = 0, length = 0;
  for (std::size_t i = 0; i < count; ++i) mean += values[i] / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) length += (values[i] - mean) * (values[i] - mean);
  std::vector<float> direction(count, 0);
  for (std::size_t i = 0; i < count && length > 0; ++i)
    direction[i] = static_cast<float>((values[i] - mean) / std::sqrt(length));
  return direction;
}

double together(const std::vector<float>& a, const std::vector<float>& b) {
  constexpr std::size_t at_once = 16;  // sums of their own, so that a compiler can add several at a time
  float sums[at_once] = {};
  for (std::size_t i = 0; i < a.size(); i += at_once)
    for (std::size_t k = 0; k < at_once; ++k) sums[k] += a[i + k] * b[i + k];
  return std::abs(std::accumulate(std::begin(sums), std::end(sums), 0.0));
}

// By what all of `b` were multiplied to make `a`; 1 when they were changed in other ways.
double factor_of(const std::vector<double>& a, const std::vector<double>& b) {
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) aa += a[i] * a[i], bb += b[i] * b[i], ab += a[i] * b[i];
  constexpr double all_alike = 0.999999;
  return aa > 0 && bb > 0 && ab * ab >= all_alike * aa * bb ? ab / bb : 1;
}

}  // namespace

Likeness::Direction::Direction(const std::vector<double>& values)
    : first(direction_of(values.data(), first_samples)), all(direction_of(values.data(), samples)) {}

double Likeness::Direction::likeness(const Direction& other) const {
  return together(first, other.first) < at_first ? 0 : together(all, other.all);
}

Likeness::Likeness(const std::vector<Constant>& ancestor) : ancestor_(ancestor) {
  for (const Constant& constant : ancestor)
    if (constant.content != 0) contents_.insert(constant.content);
}

std::vector<Likeness::Sampled>& Likeness::of_size(std::uint64_t elements) {
  const auto [entry, fresh] = by_size_.try_emplace(elements);
  std::vector<Sampled>& held = entry->second;
  if (fresh)
    for (const Constant& theirs : ancestor_)
      if (theirs.elements == elements && theirs.is_float && theirs.is_readable() &&
          held.size() < most_candidates && std::none_of(held.begin(), held.end(), [&](const Sampled& each) {
            return each.content == theirs.content;
          }))
        held.push_back({theirs.content, &theirs, sampled(theirs, false), sampled(theirs, true)});
  return held;
}

Likeness::Found Likeness::of(const Constant& changed) {
  if (!changed.is_readable() || of_size(changed.elements).empty()) return {};
  Found found = nearest(changed.elements, sampled(changed, false));
  if (found.content == 0) return rescaled(changed);
  if (!changed.is_float) found.factor = 1;  // quantised
  return found;
}

Likeness::Lines Likeness::lines_of(const Constant& weight, bool columns) {
  const std::uint64_t all = columns ? weight.columns() : weight.rows;
  const std::uint64_t each = columns ? weight.rows : weight.columns();
  Lines lines{.count = std::min<std::uint64_t>(all, most_lines),
              .length = std::min<std::uint64_t>(each, most_in_line),
              .directions = {}};
  lines.directions.assign(lines.count * most_in_line, 0);
  for (std::uint64_t i = 0; i < lines.count; ++i) {
    double square = 0, values[most_in_line];
    for (std::uint64_t k = 0; k < lines.length; ++k) {
      const std::uint64_t line = i * all / lines.count, at = k * each / lines.length;
      values[k] = weight.element(columns ? at * weight.stride + line : line * weight.stride + at);
      square += values[k] * values[k];
    }
    for (std::uint64_t k = 0; k < lines.length && square > 0; ++k)
      lines.directions[i * most_in_line + k] = static_cast<float>(values[k] / std::sqrt(square));
  }
  return lines;
}

double Likeness::Lines::likeness(const Lines& other) const {
  constexpr std::uint64_t least_lines = 4, least_length = 3;  // fewer are alike by chance
  if (count != other.count || length != other.length || count < least_lines || length < least_length)
    return 0;
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    float together = 0;
    for (std::uint64_t k = i * most_in_line; k < (i + 1) * most_in_line; ++k)
      together += directions[k] * other.directions[k];
    sum += std::abs(together);
  }
  return sum / static_cast<double>(count);
}

// A norm or a scale that comes before or after an operation is folded into its weight so.
Likeness::Found Likeness::rescaled(const Constant& changed) {
  std::vector<Sampled>& candidates = of_size(changed.elements);
  constexpr std::size_t as_much_as = 8;  // samples that are compared
  if (candidates.size() * as_much_as > work_left_) return {};
  work_left_ -= candidates.size() * as_much_as;
  const Lines rows = lines_of(changed, false), columns = lines_of(changed, true);
  double best = 0, second = 0;
  const Sampled* found = nullptr;
  for (Sampled& each : candidates) {
    if (each.rows.count == 0) {
      each.rows = lines_of(*each.weight, false);
      each.columns = lines_of(*each.weight, true);
    }
    double likeness = 0;
    if (each.weight->rows == changed.rows)
      likeness = std::max(rows.likeness(each.rows), columns.likeness(each.columns));
    if (each.weight->columns() == changed.rows)
      likeness = std::max({likeness, rows.likeness(each.columns), columns.likeness(each.rows)});
    second = std::max(second, std::min(best, likeness));
    if (likeness > best) found = &each;
    best = std::max(best, likeness);
  }
  if (best < alike_lines || second > other_lines) return {};
  return {.content = found->content, .rescaled = true};
}

Likeness::Found Likeness::of(std::uint64_t elements, const std::function<double(std::uint64_t)>& element_at) {
  if (elements == 0 || of_size(elements).empty()) return {};
  return {nearest(elements, sampled(elements, element_at)).content};
}

Likeness::Found Likeness::nearest(std::uint64_t elements, const std::vector<double>& values) {
  const std::vector<Sampled>& candidates = of_size(elements);
  if (candidates.size() > work_left_) return {};
  work_left_ -= candidates.size();
  const Direction ours(values);
  double best = 0, second = 0;
  const Sampled* found = nullptr;
  bool transposed = false;
  for (const Sampled& each : candidates) {
    const double straight = ours.likeness(each.straight), turned = ours.likeness(each.transposed);
    const double likeness = std::max(straight, turned);
    second = std::max(second, std::min(best, likeness));
    if (likeness > best) found = &each, transposed = turned > straight;
    best = std::max(best, likeness);
  }
  const bool one = (best >= alike && second <= next_best) || (best >= the_same && second <= alike);
  if (!one) return {};
  return {found->content, factor_of(values, sampled(*found->weight, transposed))};
}

}  // namespace thence::transfer
