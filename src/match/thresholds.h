// The numbers that alignment decides by. Probabilities lie between 0 and 1; factors multiply the weight of a
// pair of a step and a node, and 1 is neutral.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace thence::match {

// Factors of a pair, beside the probability of the emission. Rounded powers of e.

/// Both read the same parameter, or different ones.
THENCE_THRESHOLD float same_parameter = base::tuned("match_same_parameter", 3000.0f);
THENCE_THRESHOLD float other_parameter = base::tuned("match_other_parameter", 0.0003f);
/// Only the node reads a parameter, or only the step.
THENCE_THRESHOLD float only_node_reads = base::tuned("match_only_node_reads", 0.05f);
THENCE_THRESHOLD float only_step_reads = base::tuned("match_only_step_reads", 0.4f);
/// The shapes of the first outputs are equal, or differ.
THENCE_THRESHOLD float same_shape = base::tuned("match_same_shape", 3.0f);
THENCE_THRESHOLD float other_shape = base::tuned("match_other_shape", 0.6f);
/// The step reads what the steps of the node's producers wrote, or does not.
THENCE_THRESHOLD float along_flow = base::tuned("match_along_flow", 4.0f);
THENCE_THRESHOLD float against_flow = base::tuned("match_against_flow", 0.3f);
/// Pairs that known truth excludes, while a table is learned.
inline constexpr float excluded_pair = 1e-9f;

// Probabilities of emissions.

/// The least probability of any emission: no pair is impossible.
THENCE_THRESHOLD float least_emission = base::tuned("match_least_emission", 1e-7f);
/// An operator that no table has, and an operation of the same name.
THENCE_THRESHOLD float same_name_emission = base::tuned("match_same_name_emission", 0.5f);
/// Bounds of the probabilities that a step emits nothing, or another node.
THENCE_THRESHOLD float least_transition = base::tuned("match_least_transition", 0.001f);
THENCE_THRESHOLD float most_skipping = base::tuned("match_most_skipping", 0.999f);
THENCE_THRESHOLD float most_staying = base::tuned("match_most_staying", 0.95f);
/// For an operation that no table has: that it emits nothing, or another node; the operator of its name; one
/// whose name contains its own, or the reverse; and all others together.
THENCE_THRESHOLD float unknown_skips = base::tuned("match_unknown_skips", 0.3f);
THENCE_THRESHOLD float unknown_stays = base::tuned("match_unknown_stays", 0.3f);
THENCE_THRESHOLD float unknown_same_name = base::tuned("match_unknown_same_name", 0.5f);
THENCE_THRESHOLD float unknown_similar_name = base::tuned("match_unknown_similar_name", 0.2f);
THENCE_THRESHOLD float unknown_others = base::tuned("match_unknown_others", 0.2f);
/// Operator names up to this length are too short to be recognised inside others. In characters.
THENCE_THRESHOLD int most_short_name = base::tuned("match_most_short_name", 3);

// Posteriors.

/// Posteriors below this are not listed.
THENCE_THRESHOLD double least_posterior = base::tuned("match_least_posterior", 0.001);
/// From this posterior on, the step of a producer directs the flow of the second pass.
THENCE_THRESHOLD float directs_flow = base::tuned("match_directs_flow", 0.5f);
/// From this posterior on, a node belongs to a call.
THENCE_THRESHOLD float likely = base::tuned("match_likely", 0.7f);
/// From this posterior on, a pair that both schedules name becomes an anchor.
THENCE_THRESHOLD float becomes_anchor = base::tuned("match_becomes_anchor", 0.9f);
/// Underflow: scaled probabilities above 0 stay at or above this; and the least that a logarithm is taken of.
inline constexpr float least_scaled = 1e-18f, least_total = 1e-30f;

// Order.

/// From this share of anchors in order on, they bound the steps of the nodes between them.
THENCE_THRESHOLD float anchors_bound = base::tuned("match_anchors_bound", 0.9f);
/// The file is in order if at least this share of its anchors is, if at least this share of its nodes stands
/// close before a reader, and if no reordering gains this much log-likelihood per node.
THENCE_THRESHOLD float ordered_anchors = base::tuned("match_ordered_anchors", 0.98f);
THENCE_THRESHOLD float ordered_locality = base::tuned("match_ordered_locality", 0.88f);
THENCE_THRESHOLD double reordering_gain = base::tuned("match_reordering_gain", 0.25);
/// The distance that counts as close, in nodes.
THENCE_THRESHOLD std::uint32_t close_distance = base::tuned("match_close_distance", std::uint32_t{32});

// Limits of work. Larger inputs occur only in malicious files, or say little.

/// Pairs weighed at once. Larger segments are cut at anchors, or reduced to a band around the diagonal that
/// is at least this many steps wide.
inline constexpr std::size_t most_cells = std::size_t{1} << 22;
inline constexpr std::size_t cells_before_cut = most_cells / 4;
inline constexpr std::size_t least_band = 256;
/// Nodes in one segment: beyond this, order alone proves little.
inline constexpr std::uint32_t most_items = 1 << 14;
/// Consumers of one value that are considered, and parameters that a prepared value is followed for.
inline constexpr std::size_t most_consumers = 64;
/// Parameters of equal content: beyond this, content identifies nothing.
inline constexpr std::size_t most_equal_parameters = 8;
/// Nodes between a parameter and its consumer (casts, transposes).
inline constexpr int most_forms = 6;
/// Inputs of one node.
inline constexpr std::size_t most_inputs = 256;
/// Steps visited behind one step, to find what it reads.
inline constexpr std::size_t most_steps_behind = 48;

}  // namespace thence::match
