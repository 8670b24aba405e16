// The numbers that decide which parameters of a reference model a file holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/threshold.h"

namespace thence::reference {

/// Correlation (0 to 1) of the samples from which a weight holds a parameter. Four bits keep 0.98 and more.
THENCE_THRESHOLD double min_correlation = base::tuned("reference_min_correlation", 0.9);
/// How many times nearer to 1 the correlation must be than that with any other parameter: the norms of
/// neighbouring layers resemble each other.
THENCE_THRESHOLD double min_lead = base::tuned("reference_min_lead", 4.0);
/// What rounding leaves between 1 and the correlation of equal samples.
inline constexpr double rounding = 1e-9;
/// Correlation from which an expected parameter is taken without a look at the others: of a weight with so
/// many elements, and of a shorter one.
THENCE_THRESHOLD double min_expected_correlation = base::tuned("reference_min_expected", 0.95);
THENCE_THRESHOLD double min_expected_correlation_of_few =
    base::tuned("reference_min_expected_of_few", 0.99999);
inline constexpr std::uint64_t few_elements = 4096;
/// Elements below which a weight is like others by chance.
inline constexpr std::uint64_t min_elements = 16;
/// Elements of a part of a parameter: shorter ones are like others by chance, of which there are many.
inline constexpr std::uint64_t min_part_elements = 64;
/// Samples that a part of a parameter must have in common with a weight.
THENCE_THRESHOLD std::size_t min_part_samples = base::tuned<std::size_t>("reference_min_part_samples", 10);
/// Parameters before and after the last one found that are expected next: builders go through a model in its
/// order.
inline constexpr std::ptrdiff_t expected_parameters = 16;
/// Samples that are compared first, and their correlation below which the rest is not.
inline constexpr std::size_t first_samples = 32;
THENCE_THRESHOLD double min_first_correlation = base::tuned("reference_min_first_correlation", 0.6);
/// Parameters that one weight may join, and places at which one may be cut.
inline constexpr std::size_t max_parts = 1024, max_places = 64;
/// Heads of an attention whose joined projection is cut into query, key and value.
inline constexpr std::uint64_t max_runs = 256;
/// Rows of a head whose halves may be interleaved. Two rows are the same in both orders.
inline constexpr std::uint64_t min_rotated_head = 4, max_rotated_head = 512;
/// Comparisons of samples. A model of a thousand layers needs a few for each weight; what exceeds the limit
/// stays unknown.
inline constexpr std::size_t max_comparisons = std::size_t{1} << 22;

}  // namespace thence::reference
