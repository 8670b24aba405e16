// The numbers that sources of evidence decide by.
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::evidence {

/// From this posterior on, an alignment is certain by its own measure.
THENCE_THRESHOLD float certain_posterior = base::tuned("evidence_certain_posterior", 0.99f);

// Safety limits: larger numbers occur only in malicious files.

/// Modules whose parameters one node reads.
inline constexpr std::size_t max_parameter_modules = 64;
/// Modules that one scope may name; fewer once a source has given many pieces of evidence.
inline constexpr std::size_t max_rivals = 8, max_rivals_if_many = 2;
inline constexpr std::size_t many_evidence = std::size_t{1} << 18;

}  // namespace thence::evidence
