// The numbers that resolve decides by.
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::resolve {

/// If names or metadata cover more than this share of the nodes, recordings are asked after propagation: the
/// other nodes were made by the exporter.
THENCE_THRESHOLD double names_prevail = base::tuned("resolve_names_prevail", 0.8);

// Propagation.

/// A shape is left unknown from this many nodes before the aligned node that uses it.
THENCE_THRESHOLD int most_removed = base::tuned("resolve_most_removed", 6);
/// Passes over the nodes. A valid model needs one; bodies may need another.
THENCE_THRESHOLD int passes = base::tuned("resolve_passes", 4);

// Confidence.

/// In a file that is not in order, a constant may serve more modules than those that read it. What rests on
/// answers below `firm` gets at most `below_high`, which is just not of level high.
THENCE_THRESHOLD float firm = base::tuned("resolve_firm", 0.99f);
THENCE_THRESHOLD float below_high = base::tuned("resolve_below_high", 0.949f);
/// The confidence of what the calibration table does not have.
THENCE_THRESHOLD float uncalibrated = base::tuned("resolve_uncalibrated", 0.5f);

// Safety limits: larger numbers occur only in malicious files, and then nodes stay unknown.

/// Modules listed for one node.
inline constexpr std::size_t most_listed = 64;
/// Unattributed nodes visited on the way to an attributed one.
inline constexpr std::size_t most_unattributed = 64;
/// Work of propagation: a constant, and more per node and per input.
inline constexpr std::size_t least_work = std::size_t{1} << 22;
inline constexpr std::size_t work_per_node = 64, work_per_input = 64;
/// Readers of one node that may share it; nodes and inputs that it is computed from.
inline constexpr std::size_t most_readers = 1024, most_sources = 48, most_inputs = 1024;
/// Lookups of the place of a shared node in other layers, in the whole model.
inline constexpr std::size_t most_places = std::size_t{1} << 20;

}  // namespace thence::resolve
