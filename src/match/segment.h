// Segment: the forward-backward algorithm on one rectangle of steps and nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "match/pair_weights.h"

namespace thence::match {

/// Row r holds the state after r items. Between two nodes, the model is either inside a step, which may emit
/// again, or between two steps.
class Segment {
 public:
  Segment(const PairWeights& weights, std::uint32_t first_item, std::uint32_t past_item,
          std::uint32_t first_step, std::uint32_t past_step);

  /// Adds the posteriors of the segment's items, and expected counts, if wanted. Returns the log-likelihood.
  double run(std::vector<std::vector<StepPosterior>>& posteriors, const capture::Recording& recording,
             EmissionCounts* counts);

 private:
  // The first step whose pairs with this row are kept.
  std::uint32_t first_step_of(std::uint32_t row) const {
    if (width_ >= steps_) return 0;
    const std::uint64_t middle = std::uint64_t{row} * steps_ / (items_ + 1);
    const std::uint64_t from = middle > width_ / 2 ? middle - width_ / 2 : 0;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(from, steps_ - width_));
  }
  // Cells are boundaries of steps: one more than there are steps.
  std::size_t cell(std::uint32_t row, std::uint32_t step) const {
    return std::size_t{row} * (width_ + 1) + (step - first_step_of(row));
  }
  bool is_kept(std::uint32_t row, std::uint32_t step) const {
    return step >= first_step_of(row) && step <= first_step_of(row) + width_;
  }

  double forward();
  void backward(std::vector<std::vector<StepPosterior>>& posteriors, const capture::Recording& recording,
                EmissionCounts* counts);
  void add_posteriors(std::uint32_t row, std::uint32_t from, const std::vector<float>& inside,
                      std::vector<StepPosterior>& posteriors, const capture::Recording& recording,
                      EmissionCounts* counts);
  void count_emission(std::uint32_t row, std::uint32_t step, double probability,
                      const capture::Recording& recording, EmissionCounts& counts) const;

  const PairWeights& weights_;
  std::uint32_t first_item_, items_, first_step_, steps_, width_ = 0;
  std::vector<float> skip_, repeat_;           // by step
  std::vector<float> between_, inside_;        // forward probabilities, scaled
  std::vector<std::vector<float>> emissions_;  // by row: weights of its next item
};

}  // namespace thence::match
