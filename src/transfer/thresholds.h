// The numbers that transfer decides by.
// Values were set by hand. There is no record of how one was chosen unless its comment gives the reason; the
// effect of half and of double each: make thresholds FLAGS="--room transfer".
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::transfer {

// --- Overlap of two models ---

/// Share of matched nodes, or of known weights (0 to 1), below which two models have nothing in common.
/// Models of one design have similar graphs and different weights, so both are tested.
THENCE_THRESHOLD double min_overlap = base::tuned("transfer_min_overlap", 0.1);
/// Number of weights from which their share counts: of fewer, one changed weight would decide.
THENCE_THRESHOLD std::size_t min_counted_weights =
    base::tuned("transfer_min_counted_weights", std::size_t{4});

// --- Matching values ---

/// Share of the names, from 0 to 1, above which names mislead: of operations that read a weight of the
/// ancestor, and have the name of one that reads another weight. Optimisers keep names at their weights.
THENCE_THRESHOLD double max_misleading_names = base::tuned("transfer_max_misleading_names", 0.05);

/// Number of elements from which a constant identifies the operations that read it. Scalars, epsilons and
/// axes occur many times.
THENCE_THRESHOLD std::size_t min_identifying_elements =
    base::tuned("transfer_min_identifying_elements", std::size_t{4});
/// Candidates for one operation. Masks and shapes have many equal ones; more candidates prove nothing.
inline constexpr std::size_t max_candidates = 64;
/// Operations around one operation that are compared. The uses of a hub prove little.
inline constexpr std::size_t max_neighbours = 64;
/// Number of operations that may be fused into one node, or split from one.
THENCE_THRESHOLD std::size_t max_region = base::tuned("transfer_max_region", std::size_t{160});
/// Values visited in search of regions, in proportion to the models: a malicious file gets fewer answers, not
/// later ones.
inline constexpr std::size_t base_region_work = std::size_t{1} << 20, region_work_per_operation = 128;
/// Number of operations in a chain that are folded into the weights before them: a scale and a bias.
THENCE_THRESHOLD int max_folded = base::tuned("transfer_max_folded", 2);
/// Sweeps over all operations. Each but the last matches something; real models need a few.
inline constexpr int max_sweeps = 64;

// --- Origins of nodes ---

/// Views in a chain. Longer chains occur only in malicious files, as more than the next three.
inline constexpr std::size_t max_view_chain = 64;
/// Unmatched views of one value by one operator that are listed.
inline constexpr std::size_t max_views_of_value = 64;
/// Scores of two views of the same operator in an alignment, which maximises their sum: with the same
/// parameter, with a parameter that is not known, and with different parameters. Only their ratios matter:
/// one view with the same parameter is worth as much as two of unknown or four of different ones.
THENCE_THRESHOLD int same_parameter_score = base::tuned("transfer_same_parameter_score", 4);
THENCE_THRESHOLD int unknown_parameter_score = base::tuned("transfer_unknown_parameter_score", 2);
THENCE_THRESHOLD int other_parameter_score = base::tuned("transfer_other_parameter_score", 1);
/// Relative difference up to which two factors are equal. Half precision has a relative error of 5e-4.
THENCE_THRESHOLD double factor_tolerance = base::tuned("transfer_factor_tolerance", 1e-3);
/// Operands of a node that are compared, and values collected for it.
inline constexpr std::size_t max_operands = 64;
/// Casts and the like in a chain between a constant and its use: in the descendant, and in the ancestor.
inline constexpr int max_descendant_casts = 8, max_ancestor_casts = 4;
/// Ancestor nodes collected for an unmatched node, and bodies of an ancestor node.
inline constexpr std::size_t max_collected = 64;
/// Ancestor nodes of a node whose body takes them over. Large bodies would repeat long lists.
inline constexpr std::size_t max_body_origins = 4;

// --- Claims ---

/// Tensors that a claim lists for one value. The value itself, then views of it.
inline constexpr std::size_t max_claimed_tensors = 6;

}  // namespace thence::transfer
