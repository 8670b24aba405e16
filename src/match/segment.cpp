#include "match/segment.h"

#include <algorithm>
#include <cmath>

#include "match/thresholds.h"

namespace thence::match {
namespace {

// Clamps probabilities to avoid underflow: a path that seems hopeless may be the only one that later nodes
// allow.
float clamped(float probability) { return probability > 0 ? std::max(probability, min_scaled) : 0; }

// Scales probabilities so that the largest is 1. Returns what it was.
float normalise(std::span<float> probabilities) {
  float largest = 0;
  for (const float probability : probabilities) largest = std::max(largest, probability);
  if (largest <= 0) return 1;
  for (float& probability : probabilities) probability = clamped(probability / largest);
  return largest;
}

}  // namespace

Segment::Segment(const PairWeights& weights, std::uint32_t first_item, std::uint32_t past_item,
                 std::uint32_t first_step, std::uint32_t past_step)
    : weights_(weights),
      first_item_(first_item),
      items_(past_item - first_item),
      first_step_(first_step),
      steps_(past_step - first_step) {
  // A segment without anchors may be too large for all pairs: then only a band around the diagonal is kept.
  const std::size_t all = std::size_t{items_ + 1} * (steps_ + 1);
  width_ = all <= max_cells ? steps_ : static_cast<std::uint32_t>(max_cells / (items_ + 1) + min_band);
  width_ = std::min(width_, steps_);
  for (std::uint32_t step = 0; step < steps_; ++step) {
    skip_.push_back(weights.skip_probability(first_step + step));
    repeat_.push_back(weights.repeat_probability(first_step + step));
  }
}

double Segment::run(std::vector<std::vector<StepPosterior>>& posteriors, const capture::Recording& recording,
                    EmissionCounts* counts) {
  const double log_likelihood = forward();
  backward(posteriors, recording, counts);
  return log_likelihood;
}

double Segment::forward() {
  between_.assign(std::size_t{items_ + 1} * (width_ + 1), 0);
  inside_.assign(between_.size(), 0);
  emissions_.resize(items_);
  double log_likelihood = 0;
  between_[cell(0, 0)] = 1;
  for (std::uint32_t row = 0;; ++row) {
    const std::uint32_t from = first_step_of(row), to = from + width_;
    log_likelihood += std::log(normalise(std::span(inside_).subspan(cell(row, from), width_ + 1)));
    for (std::uint32_t step = from; step < to; ++step) {
      const std::size_t here = cell(row, step);
      between_[here + 1] = clamped(between_[here] * skip_[step] + inside_[here] * (1 - repeat_[step]));
    }
    if (row == items_) break;
    weights_.weigh_row(first_item_ + row, first_step_ + from, first_step_ + to, emissions_[row]);
    for (std::uint32_t step = from; step < to; ++step)
      if (is_kept(row + 1, step) && step < first_step_of(row + 1) + width_)
        inside_[cell(row + 1, step)] =
            (between_[cell(row, step)] * (1 - skip_[step]) + inside_[cell(row, step)] * repeat_[step]) *
            emissions_[row][step - from];
  }
  return log_likelihood +
         std::log(std::max(between_[cell(items_, first_step_of(items_) + width_)], min_total));
}

void Segment::backward(std::vector<std::vector<StepPosterior>>& posteriors,
                       const capture::Recording& recording, EmissionCounts* counts) {
  std::vector<float> between(width_ + 1), inside(width_ + 1), next_inside;
  std::uint32_t next_from = 0;
  for (std::uint32_t row = items_ + 1; row-- > 0;) {
    const std::uint32_t from = first_step_of(row), to = from + width_;
    std::vector<float> ahead(width_, 0);  // by step: it emits the next item
    if (row < items_) {
      for (std::uint32_t step = from; step < to; ++step)
        if (step >= next_from && step < next_from + width_)
          ahead[step - from] = emissions_[row][step - from] * next_inside[step - next_from];
      normalise(ahead);
    }
    between[width_] = row == items_ && to == steps_ ? 1.0f : 0.0f;
    for (std::uint32_t step = to; step-- > from;) {
      const std::uint32_t i = step - from;
      inside[i] = clamped(repeat_[step] * ahead[i] + (1 - repeat_[step]) * between[i + 1]);
      between[i] = clamped(skip_[step] * between[i + 1] + (1 - skip_[step]) * ahead[i]);
    }
    if (row > 0) add_posteriors(row, from, inside, posteriors[first_item_ + row - 1], recording, counts);
    next_inside.assign(inside.begin(), inside.end());
    next_from = from;
  }
}

// Of the item before this row.
void Segment::add_posteriors(std::uint32_t row, std::uint32_t from, const std::vector<float>& inside,
                             std::vector<StepPosterior>& posteriors, const capture::Recording& recording,
                             EmissionCounts* counts) {
  double total = 0;
  for (std::uint32_t i = 0; i < width_; ++i) total += double{inside_[cell(row, from + i)]} * inside[i];
  if (total <= 0) return;
  for (std::uint32_t i = 0; i < width_; ++i) {
    const double probability = double{inside_[cell(row, from + i)]} * inside[i] / total;
    if (probability < min_posterior) continue;
    const std::uint32_t step = from + i;
    posteriors.push_back({first_step_ + step, static_cast<float>(probability),
                          weights_.is_typical(first_item_ + row - 1, first_step_ + step)});
    if (counts != nullptr && is_kept(row - 1, step))
      count_emission(row, step, probability, recording, *counts);
  }
  std::sort(posteriors.begin(), posteriors.end(), [](const StepPosterior& a, const StepPosterior& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.step < b.step;
  });
}

// The item before this row, as an emission of the step.
void Segment::count_emission(std::uint32_t row, std::uint32_t step, double probability,
                             const capture::Recording& recording, EmissionCounts& counts) const {
  const float first = between_[cell(row - 1, step)] * (1 - skip_[step]);
  const float another = inside_[cell(row - 1, step)] * repeat_[step];
  EmissionCounts::Sum& sum = counts.sums[recording.op_names[recording.steps[first_step_ + step].op_name]];
  sum.nodes += probability;
  if (first + another > 0) sum.emitting_steps += probability * first / (first + another);
  sum.operators[weights_.operator_name(first_item_ + row - 1)] += probability;
}

}  // namespace thence::match
