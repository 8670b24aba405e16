// The numbers that resolve decides by.
// Values were set by hand. There is no record of how one was chosen unless its comment gives the reason; the
// effect of half and of double each: make thresholds FLAGS="--room resolve".
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::resolve {

/// If names or metadata cover more than this share of the nodes, from 0 to 1, recordings are used after
/// propagation instead of before: the other nodes were made by the exporter, and no recorded operation became
/// them.
THENCE_THRESHOLD double min_named_share = base::tuned("resolve_min_named_share", 0.8);

// Propagation.

/// A shape or constant stays unknown if it is this many nodes away from the aligned node that uses it. In
/// nodes. With each node it becomes less certain that one module alone uses it. Tried on the learning side:
/// at 6 more were unknown, and no fewer wrong (docs/accuracy.md).
THENCE_THRESHOLD int max_alignment_hops = base::tuned("resolve_max_alignment_hops", 12);
/// Passes over all nodes. A sorted model needs one, bodies may need another, and the last pass ignores
/// unattributed consumers.
THENCE_THRESHOLD int max_passes = base::tuned("resolve_max_passes", 4);

// Beside an ancestor.

/// The names in a derived model are independent of the ancestor's if the ancestor has at most this share of
/// them, from 0 to 1: the model was exported again. Where names and matched nodes contradicted each other on
/// the learning side, names were right in second exports, and wrong in optimised files.
THENCE_THRESHOLD double max_inherited_names = base::tuned("resolve_max_inherited_names", 0.05);
/// Names in a derived model are used if they name the ancestor's layer for at least this share, from 0 to 1,
/// of the nodes that were matched by weights or inputs. They overrule the ancestor if they name its module
/// for as many.
THENCE_THRESHOLD double min_own_name_agreement = base::tuned("resolve_min_own_name_agreement", 0.95);

// Confidence.

/// The probability for a source of which schema/calibration.json has no entry: no information.
THENCE_THRESHOLD float default_confidence = base::tuned("resolve_default_confidence", 0.5f);

// Safety limits: larger numbers occur only in malicious files, and then nodes stay unknown.

/// Modules listed for one node or one function.
// errors.md: modules listed for one node
inline constexpr std::size_t max_listed_modules = 64;
/// Unattributed nodes visited on the way to an attributed one.
inline constexpr std::size_t max_unattributed_visited = 64;
/// Work of propagation, in visited neighbours: `base_work`, and more per node and per input.
inline constexpr std::size_t base_work = std::size_t{1} << 22;
inline constexpr std::size_t work_per_node = 64, work_per_input = 64;
/// Scopes around one whose calls are compared with its own.
inline constexpr std::size_t max_compared_scopes = 64;
/// Consumers of one node that may share it; nodes and inputs visited to find whether it depends on a weight.
inline constexpr std::size_t max_consumers = 1024, max_visited_producers = 48, max_visited_inputs = 1024;
/// Lookups of the module that corresponds to a shared node's in another layer, for the whole model.
inline constexpr std::size_t max_counterpart_lookups = std::size_t{1} << 20;

}  // namespace thence::resolve
