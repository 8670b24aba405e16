#include "dataflow/weight_matcher.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dataflow/thresholds.h"
#include "dataflow/weight_samples.h"

namespace thence::dataflow {
namespace {

// Samples of a weight, or of its transpose.
std::vector<double> sampled(const Constant& constant, bool transposed) {
  const std::uint64_t rows = constant.rows, columns = constant.columns();
  return sample_weight(constant.elements, [&](std::uint64_t index) {
    if (transposed) index = index % rows * columns + index / rows;
    return constant.element(index / columns * constant.stride + index % columns);
  });
}

// Centred and normalised: the scalar product of two of them is their correlation.
std::vector<float> direction_of(const double* values, std::size_t count) {
  double mean = 0, length = 0;
  for (std::size_t i = 0; i < count; ++i) mean += values[i] / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) length += (values[i] - mean) * (values[i] - mean);
  std::vector<float> direction(count, 0);
  for (std::size_t i = 0; i < count && length > 0; ++i)
    direction[i] = static_cast<float>((values[i] - mean) / std::sqrt(length));
  return direction;
}

double absolute_product(const std::vector<float>& a, const std::vector<float>& b) {
  constexpr std::size_t at_once = 16;  // independent sums, which compilers vectorise
  float sums[at_once] = {};
  for (std::size_t i = 0; i < a.size(); i += at_once)
    for (std::size_t k = 0; k < at_once; ++k) sums[k] += a[i + k] * b[i + k];
  return std::abs(std::accumulate(std::begin(sums), std::end(sums), 0.0));
}

// The factor by which `b` was multiplied to give `a`; 1 if it was changed in another way.
double factor_of(const std::vector<double>& a, const std::vector<double>& b) {
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) aa += a[i] * a[i], bb += b[i] * b[i], ab += a[i] * b[i];
  return aa > 0 && bb > 0 && ab * ab >= min_multiple_cosine * aa * bb ? ab / bb : 1;
}

}  // namespace

WeightMatcher::Direction::Direction(const std::vector<double>& values)
    : first(direction_of(values.data(), first_weight_samples)),
      all(direction_of(values.data(), weight_samples)) {}

double WeightMatcher::Direction::similarity(const Direction& other) const {
  return absolute_product(first, other.first) < min_first_correlation ? 0 : absolute_product(all, other.all);
}

WeightMatcher::WeightMatcher(const std::vector<Constant>& reference) : reference_(reference) {
  for (const Constant& constant : reference)
    if (constant.fingerprint != 0) fingerprints_.insert(constant.fingerprint);
}

const std::vector<MatrixShape>& WeightMatcher::shapes() {
  if (!shapes_.empty()) return shapes_;
  for (const Constant& weight : reference_)
    if (weight.is_float && weight.is_readable()) shapes_.push_back({weight.rows, weight.columns()});
  std::sort(shapes_.begin(), shapes_.end());
  shapes_.erase(std::unique(shapes_.begin(), shapes_.end()), shapes_.end());
  return shapes_;
}

std::vector<WeightMatcher::SampledWeight>& WeightMatcher::candidates_of_size(std::uint64_t elements) {
  const auto [entry, is_new] = by_size_.try_emplace(elements);
  std::vector<SampledWeight>& candidates = entry->second;
  if (is_new)
    for (const Constant& theirs : reference_)
      if (theirs.elements == elements && theirs.is_float && theirs.is_readable() &&
          candidates.size() < max_weight_candidates &&
          std::none_of(candidates.begin(), candidates.end(),
                       [&](const SampledWeight& each) { return each.fingerprint == theirs.fingerprint; }))
        candidates.push_back({theirs.fingerprint, &theirs, sampled(theirs, false), sampled(theirs, true)});
  return candidates;
}

WeightMatch WeightMatcher::find(const Constant& changed) {
  if (!changed.is_readable() || candidates_of_size(changed.elements).empty()) return {};
  WeightMatch match = find_nearest(changed.elements, sampled(changed, false));
  if (match.fingerprint == 0) return find_rescaled(changed);
  if (!changed.is_float) match.factor = 1;  // quantised
  return match;
}

WeightMatcher::Lines WeightMatcher::lines_of(const Constant& weight, bool columns) {
  const std::uint64_t all = columns ? weight.columns() : weight.rows;
  const std::uint64_t each = columns ? weight.rows : weight.columns();
  Lines lines{.count = std::min<std::uint64_t>(all, max_lines),
              .length = std::min<std::uint64_t>(each, max_line_samples),
              .directions = {}};
  lines.directions.assign(lines.count * max_line_samples, 0);
  for (std::uint64_t i = 0; i < lines.count; ++i) {
    double square = 0, values[max_line_samples];
    for (std::uint64_t k = 0; k < lines.length; ++k) {
      const std::uint64_t line = i * all / lines.count, at = k * each / lines.length;
      values[k] = weight.element(columns ? at * weight.stride + line : line * weight.stride + at);
      square += values[k] * values[k];
    }
    for (std::uint64_t k = 0; k < lines.length && square > 0; ++k)
      lines.directions[i * max_line_samples + k] = static_cast<float>(values[k] / std::sqrt(square));
  }
  return lines;
}

double WeightMatcher::Lines::similarity(const Lines& other) const {
  if (count != other.count || length != other.length || count < min_lines || length < min_line_samples)
    return 0;
  double sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    float product = 0;
    for (std::uint64_t k = i * max_line_samples; k < (i + 1) * max_line_samples; ++k)
      product += directions[k] * other.directions[k];
    sum += std::abs(product);
  }
  return sum / static_cast<double>(count);
}

// Folding a norm or a scale before or after an operation rescales the rows or columns of its weight.
WeightMatch WeightMatcher::find_rescaled(const Constant& changed) {
  std::vector<SampledWeight>& candidates = candidates_of_size(changed.elements);
  if (candidates.size() * line_comparison_cost > comparisons_left_) return {};
  comparisons_left_ -= candidates.size() * line_comparison_cost;
  const Lines rows = lines_of(changed, false), columns = lines_of(changed, true);
  double best = 0, second = 0;
  const SampledWeight* found = nullptr;
  for (SampledWeight& each : candidates) {
    if (each.rows.count == 0) {
      each.rows = lines_of(*each.weight, false);
      each.columns = lines_of(*each.weight, true);
    }
    double similarity = 0;
    if (each.weight->rows == changed.rows)
      similarity = std::max(rows.similarity(each.rows), columns.similarity(each.columns));
    if (each.weight->columns() == changed.rows)
      similarity = std::max({similarity, rows.similarity(each.columns), columns.similarity(each.rows)});
    second = std::max(second, std::min(best, similarity));
    if (similarity > best) found = &each;
    best = std::max(best, similarity);
  }
  if (best < min_line_cosine || second > max_other_line_cosine) return {};
  return {.fingerprint = found->fingerprint, .is_rescaled = true};
}

WeightMatch WeightMatcher::find(std::uint64_t elements,
                                const std::function<double(std::uint64_t)>& element_at) {
  if (elements == 0 || candidates_of_size(elements).empty()) return {};
  return {find_nearest(elements, sample_weight(elements, element_at)).fingerprint};
}

WeightMatch WeightMatcher::find_nearest(std::uint64_t elements, const std::vector<double>& values) {
  const std::vector<SampledWeight>& candidates = candidates_of_size(elements);
  if (candidates.size() > comparisons_left_) return {};
  comparisons_left_ -= candidates.size();
  const Direction ours(values);
  double best = 0, second = 0;
  const SampledWeight* found = nullptr;
  bool transposed = false;
  for (const SampledWeight& each : candidates) {
    const double direct_similarity = ours.similarity(each.direct),
                 transposed_similarity = ours.similarity(each.transposed);
    const double similarity = std::max(direct_similarity, transposed_similarity);
    second = std::max(second, std::min(best, similarity));
    if (similarity > best) found = &each, transposed = transposed_similarity > direct_similarity;
    best = std::max(best, similarity);
  }
  const bool is_unique = (best >= min_correlation && second <= max_other_correlation) ||
                         (best >= min_same_correlation && second <= min_correlation);
  if (!is_unique) return {};
  return {found->fingerprint, factor_of(values, sampled(*found->weight, transposed))};
}

}  // namespace thence::dataflow
