// Samples of a weight: some of its elements, at positions that depend on their number only. Two weights are
// compared by the correlation of their samples, whatever the types that store them.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "dataflow/hash_mix.h"
#include "dataflow/thresholds.h"

namespace thence::dataflow {

/// The index of a sample in a weight of so many elements, of which there is at least one.
constexpr std::uint64_t sample_position(std::uint64_t sample, std::uint64_t elements) {
  return combine_hash(sample, elements) % elements;
}

template <class ElementAt>
std::vector<double> sample_weight(std::uint64_t elements, ElementAt element_at) {
  std::vector<double> samples;
  samples.reserve(weight_samples);
  for (std::uint64_t i = 0; i < weight_samples; ++i)
    samples.push_back(element_at(sample_position(i, elements)));
  return samples;
}

/// Whether two weights have the same elements, but for a factor, an offset and rounding: 1 if they have, near
/// 0 if they are unrelated. Pairs with a number that is not finite are left out.
double correlation(std::span<const double> a, std::span<const double> b);

}  // namespace thence::dataflow
