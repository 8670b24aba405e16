// The numbers that sources of evidence decide by.
// Values were set by hand. There is no record of how one was chosen unless its comment gives the reason; the
// effect of half and of double each: make thresholds FLAGS="--room evidence".
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::evidence {

/// From this posterior on (a probability), an alignment is certain by its own measure. How often such answers
/// are right is measured: schema/calibration.json.
THENCE_THRESHOLD float certain_posterior = base::tuned("evidence_certain_posterior", 0.99f);

/// The confidence of a tag that does not state one. Tags of thence always do.
THENCE_THRESHOLD float unstated_tag_confidence = base::tuned("evidence_unstated_tag_confidence", 0.5f);

// Safety limits: larger numbers occur only in malicious files.

/// Modules listed for one node because it reads their parameters.
inline constexpr std::size_t max_parameter_modules = 64;
/// Modules that one scope may name; fewer once a source has given `many_evidence` pieces.
inline constexpr std::size_t max_rivals = 8, max_rivals_if_many = 2;
inline constexpr std::size_t many_evidence = std::size_t{1} << 18;

}  // namespace thence::evidence
