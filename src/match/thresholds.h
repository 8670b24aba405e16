// The numbers that alignment decides by. Probabilities lie between 0 and 1; factors multiply the weight of a
// pair of a step and a node, and 1 is neutral.
// Values were set by hand, those marked "tried" then chosen on models of the learning side, where they were
// better than half, double or both (docs/accuracy.md). There is no record of how another was chosen unless
// its comment gives the reason; the effect of half and of double each: make thresholds FLAGS="--room match".
// The set as a whole is judged by `make accuracy` on the corpus, with and without names, in order and
// shuffled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace thence::match {

// Factors of a pair, beside the probability of the emission. Rounded powers of e.

/// Both read the same parameter, or different ones.
THENCE_THRESHOLD float same_parameter_factor = base::tuned("match_same_parameter_factor", 3000.0f);
THENCE_THRESHOLD float other_parameter_factor = base::tuned("match_other_parameter_factor", 0.0003f);
/// Only the node reads a parameter, or only the step.
THENCE_THRESHOLD float only_node_reads_factor = base::tuned("match_only_node_reads_factor", 0.05f);
THENCE_THRESHOLD float only_step_reads_factor = base::tuned("match_only_step_reads_factor", 0.4f);
/// The shapes of the first outputs are equal, or differ. Tried.
THENCE_THRESHOLD float same_shape_factor = base::tuned("match_same_shape_factor", 6.0f);
THENCE_THRESHOLD float other_shape_factor = base::tuned("match_other_shape_factor", 0.3f);
/// The step reads what the steps of the node's producers wrote, or does not.
THENCE_THRESHOLD float along_flow_factor = base::tuned("match_along_flow_factor", 4.0f);
THENCE_THRESHOLD float against_flow_factor = base::tuned("match_against_flow_factor", 0.3f);
/// Pairs that known truth excludes, while a table is learned.
inline constexpr float excluded_pair_factor = 1e-9f;

// Probabilities of emissions.

/// The least probability of any emission: no pair is impossible, so that a wrong pair costs likelihood
/// instead of making an alignment impossible. Tried.
THENCE_THRESHOLD float min_emission = base::tuned("match_min_emission", 2e-7f);
/// The probability that an operation emits the operator that has its name, if no table has the operator.
THENCE_THRESHOLD float same_name_emission = base::tuned("match_same_name_emission", 0.5f);
/// Bounds of the probabilities that a step emits no node (skip) and, after a node, another one (repeat). A
/// learned 0 or 1 would exclude paths.
THENCE_THRESHOLD float min_transition = base::tuned("match_min_transition", 0.001f);
THENCE_THRESHOLD float max_skip = base::tuned("match_max_skip", 0.999f);
THENCE_THRESHOLD float max_repeat = base::tuned("match_max_repeat", 0.95f);
/// Probabilities for an operation that no table has: that it emits no node, or another one; and that a node
/// is the operator of its name, one whose name contains its own or the reverse, or any other one (in total).
THENCE_THRESHOLD float unknown_op_skip = base::tuned("match_unknown_op_skip", 0.3f);
THENCE_THRESHOLD float unknown_op_repeat = base::tuned("match_unknown_op_repeat", 0.3f);
THENCE_THRESHOLD float unknown_op_same_name = base::tuned("match_unknown_op_same_name", 0.5f);
THENCE_THRESHOLD float unknown_op_similar_name = base::tuned("match_unknown_op_similar_name", 0.2f);
THENCE_THRESHOLD float unknown_op_others = base::tuned("match_unknown_op_others", 0.2f);
/// Operator names up to this length are too short to be recognised inside others. In characters.
THENCE_THRESHOLD int max_short_name = base::tuned("match_max_short_name", 3);

// Posteriors.

/// Posteriors below this are not listed. Bounds memory: a node has at most a thousand others.
THENCE_THRESHOLD double min_posterior = base::tuned("match_min_posterior", 0.001);
/// From this posterior on, the most probable step of a producer weights the steps of its consumers in the
/// second pass. Tried.
THENCE_THRESHOLD float min_flow_posterior = base::tuned("match_min_flow_posterior", 0.25f);
/// From this posterior on, summed over the steps of a call, a node is assigned to the call.
THENCE_THRESHOLD float min_assigned_posterior = base::tuned("match_min_assigned_posterior", 0.7f);
/// From this posterior on, a pair that both schedules name becomes an anchor.
THENCE_THRESHOLD float min_anchor_posterior = base::tuned("match_min_anchor_posterior", 0.9f);
/// Against underflow of a float (least normal number: 1e-38): scaled probabilities above 0 stay at or above
/// `min_scaled`, whose square is representable; `min_total` is the least number whose logarithm is taken.
inline constexpr float min_scaled = 1e-18f, min_total = 1e-30f;

// Order.

/// From this share of anchors in order on (0 to 1), they bound the steps of the nodes between them.
THENCE_THRESHOLD float min_bounding_order = base::tuned("match_min_bounding_order", 0.9f);
/// The file is in order if at least this share of its anchors is (0 to 1), if at least this share of its
/// nodes stands close before a consumer (0 to 1), and if reordering gains less than this much natural
/// log-likelihood per node.
THENCE_THRESHOLD float min_ordered_anchor_share = base::tuned("match_min_ordered_anchors", 0.98f);
THENCE_THRESHOLD float min_ordered_locality = base::tuned("match_min_ordered_locality", 0.88f);
THENCE_THRESHOLD double min_reordering_gain = base::tuned("match_min_reordering_gain", 0.25);
/// The distance between a node and its first consumer that counts as close, in nodes of the file.
THENCE_THRESHOLD std::uint32_t close_distance = base::tuned("match_close_distance", std::uint32_t{32});

// Limits of work. Larger inputs occur only in malicious files, or prove little.

/// Pairs of a node and a step weighed at once: 4 million of three floats, 50 MB. Larger segments are cut at
/// anchors, once they have `cells_before_cut`, or reduced to a band around the diagonal that is at least
/// `min_band` steps wide.
inline constexpr std::size_t max_cells = std::size_t{1} << 22;
inline constexpr std::size_t cells_before_cut = max_cells / 4;
inline constexpr std::size_t min_band = 256;
/// Nodes in one segment: beyond this, order alone proves little.
inline constexpr std::uint32_t max_segment_items = 1 << 14;
/// Consumers of one value that are considered, and parameters that a prepared value is followed for.
inline constexpr std::size_t max_consumers = 64;
/// Parameters of equal content: beyond this, content identifies nothing.
inline constexpr std::size_t max_equal_parameters = 8;
/// Nodes between a parameter and its consumer (casts, transposes).
inline constexpr int max_parameter_chain = 6;
/// Inputs of one node that are read.
inline constexpr std::size_t max_inputs = 256;
/// Steps visited behind one step, to find what it reads.
inline constexpr std::size_t max_steps_visited = 48;

}  // namespace thence::match
