// Thresholds of this room.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace thence::profile {

/// The share of kernels with a name in the model, below which a profile counts as one of another model.
/// Profiles of models that the runtime optimised, joined with the original file, have two thirds or more;
/// those of models that share no names have none.
THENCE_THRESHOLD double min_matched_share = base::tuned("profile_min_matched_share", 0.25);

/// Runs of each profile that a comparison needs. With fewer, the resampled medians take only a few values,
/// and the interval says nothing.
inline constexpr std::size_t min_compared_runs = 5;
/// The share of resampled differences inside the interval. A profile has a hundred modules, so with 0.95
/// several would seem to change by chance.
inline constexpr double bootstrap_confidence = 0.99;
/// Enough for two digits of the interval's ends.
inline constexpr std::size_t bootstrap_resamples = 2000;
/// Runs are resampled in at most this number of blocks.
inline constexpr std::size_t max_bootstrap_blocks = 200;
/// Fixed, so that equal profiles give equal answers.
inline constexpr std::uint64_t bootstrap_seed = 20'240'601;

}  // namespace thence::profile
