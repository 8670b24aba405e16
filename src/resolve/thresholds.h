// The numbers that resolve decides by.
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::resolve {

/// If names or metadata cover more than this share of the nodes, recordings are asked after propagation: the
/// other nodes were made by the exporter.
THENCE_THRESHOLD double min_named_share = base::tuned("resolve_min_named_share", 0.8);

// Propagation.

/// A shape is left unknown from this many nodes before the aligned node that uses it.
THENCE_THRESHOLD int max_alignment_distance = base::tuned("resolve_max_alignment_distance", 6);
/// Passes over the nodes. A valid model needs one; bodies may need another.
THENCE_THRESHOLD int max_passes = base::tuned("resolve_max_passes", 4);

// Confidence.

/// In a file that is not in order, a constant may serve more modules than those that read it. What rests on
/// answers below `firm` gets at most `max_reordered_confidence`, which is just not of level high.
THENCE_THRESHOLD float min_firm_confidence = base::tuned("resolve_min_firm_confidence", 0.99f);
THENCE_THRESHOLD float max_reordered_confidence = base::tuned("resolve_max_reordered_confidence", 0.949f);
/// The confidence of what the calibration table does not have.
THENCE_THRESHOLD float default_confidence = base::tuned("resolve_default_confidence", 0.5f);

// Safety limits: larger numbers occur only in malicious files, and then nodes stay unknown.

/// Modules listed for one node.
inline constexpr std::size_t max_listed_modules = 64;
/// Unattributed nodes visited on the way to an attributed one.
inline constexpr std::size_t max_unattributed_visited = 64;
/// Work of propagation: a constant, and more per node and per input.
inline constexpr std::size_t base_work = std::size_t{1} << 22;
inline constexpr std::size_t work_per_node = 64, work_per_input = 64;
/// Readers of one node that may share it; nodes and inputs that it is computed from.
inline constexpr std::size_t max_consumers = 1024, max_visited_producers = 48, max_visited_inputs = 1024;
/// Lookups of the place of a shared node in other layers, in the whole model.
inline constexpr std::size_t max_counterpart_lookups = std::size_t{1} << 20;

}  // namespace thence::resolve
