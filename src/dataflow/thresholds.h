// The numbers that the value graph, constants and the matching of weights decide by.
// Values were set by hand. There is no record of how one was chosen unless its comment gives the reason; the
// effect of half and of double each: make thresholds FLAGS="--room dataflow".
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace thence::dataflow {

// --- Value graph: limits on what a node may cost. Larger nodes occur only in malicious files. ---

/// Arity limit: inputs or outputs of a node that are read.
inline constexpr std::size_t max_inputs = 1024;
/// Inputs of one node times its outputs, since each output is a separate operation.
inline constexpr std::size_t max_operand_slots = std::size_t{1} << 16;
/// Values merged into one, and outputs of a Split of a merged projection.
inline constexpr std::size_t max_merged = 64;
/// No-ops in a chain that are skipped.
inline constexpr int max_noop_chain = 16;

// --- Constants ---

/// Number of elements from which a tensor may be a weight; smaller ones are scales, sizes and axes.
THENCE_THRESHOLD std::uint64_t min_weight_elements =
    base::tuned("dataflow_min_weight_elements", std::uint64_t{16});
/// Integers that are hashed: sizes and indices are few. Longer lists differ by their length alone.
inline constexpr std::size_t max_hashed_integers = std::size_t{1} << 16;
/// How often one data file may be read in whole. Only tensors that overlap read a byte twice.
inline constexpr std::uint64_t max_file_readings = 2;

// --- Sampled fingerprints ---

/// Bytes from which a weight is sampled; reading smaller ones whole takes microseconds.
inline constexpr std::size_t min_sampled_bytes = std::size_t{1} << 16;
/// Positions that are sampled, the first and the last among them, and the bytes read at each.
inline constexpr std::size_t sampled_positions = 32, bytes_per_position = 512;

// --- Matching weights that were quantised or rescaled ---

/// Elements of a weight that are compared. The first ones rule most candidates out. With 256 samples, the
/// correlation of unrelated weights has a standard deviation of 1/16.
inline constexpr std::size_t weight_samples = 256, first_weight_samples = 64;
/// Pairs of samples below which nothing is known: those of a short part of a weight.
inline constexpr double min_compared_samples = 12;
/// Absolute correlation (0 to 1) of the first samples below which a candidate is dropped: 1.6 standard
/// deviations of unrelated ones, so that most of those need no second comparison.
THENCE_THRESHOLD double min_first_correlation = base::tuned("dataflow_min_first_correlation", 0.2);
/// Absolute correlation from which a weight is a changed form of a candidate, if that of every other
/// candidate is at most `max_other_correlation`. Short weights correlate a little with many.
THENCE_THRESHOLD double min_correlation = base::tuned("dataflow_min_correlation", 0.9);
THENCE_THRESHOLD double max_other_correlation = base::tuned("dataflow_max_other_correlation", 0.6);
/// Absolute correlation of what is nearly the same weight: then others may correlate up to `min_correlation`.
THENCE_THRESHOLD double min_same_correlation = base::tuned("dataflow_min_same_correlation", 0.995);
/// Squared cosine (0 to 1) from which one weight is a multiple of another: all but the rounding of float32
/// and of half precision.
THENCE_THRESHOLD double min_multiple_cosine = base::tuned("dataflow_min_multiple_cosine", 0.999999);

/// Rows or columns that are compared if each was rescaled, and elements of each.
inline constexpr std::uint64_t max_lines = 32, max_line_samples = 16;
/// Number of lines, and of elements of each: fewer or shorter lines are similar by chance.
THENCE_THRESHOLD std::uint64_t min_lines = base::tuned("dataflow_min_lines", std::uint64_t{4});
THENCE_THRESHOLD std::uint64_t min_line_samples = base::tuned("dataflow_min_line_samples", std::uint64_t{3});
/// Mean absolute cosine (0 to 1) of the lines from which the best candidate is accepted, and up to which any
/// other may come.
THENCE_THRESHOLD double min_line_cosine = base::tuned("dataflow_min_line_cosine", 0.97);
THENCE_THRESHOLD double max_other_line_cosine = base::tuned("dataflow_max_other_line_cosine", 0.9);

/// Candidates of one size. A model has many weights of one size if it has many experts.
inline constexpr std::size_t max_weight_candidates = 4096;
/// Shapes of the reference model in which one blocked weight is read. Few models have several that differ by
/// less than a block.
inline constexpr int max_unblocked_shapes = 16;
/// Comparisons of candidates in one transfer, and how many a comparison of lines counts for.
inline constexpr std::size_t weight_comparisons = std::size_t{1} << 25, line_comparison_cost = 8;

}  // namespace thence::dataflow
