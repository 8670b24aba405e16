// WeightMatcher: finds the weight of a reference model that a quantised or rescaled weight was made of, by
// the correlation of their elements.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dataflow/constant.h"
#include "dataflow/thresholds.h"

namespace thence::dataflow {

/// A weight of the reference model.
struct WeightMatch {
  std::uint64_t fingerprint = 0;  // 0 if no weight matches, or several
  double factor = 1;              // by which all elements were multiplied
  bool is_rescaled = false;       // each row or each column has its own factor
};

struct MatrixShape {
  std::uint64_t rows = 0, columns = 0;
  auto operator<=>(const MatrixShape&) const = default;
};

class WeightMatcher {
 public:
  /// `reference`: the constants of the reference model, which outlive the matcher.
  explicit WeightMatcher(const std::vector<Constant>& reference);

  bool contains(std::uint64_t fingerprint) const { return fingerprints_.contains(fingerprint); }
  /// The distinct shapes of the weights; further axes count as columns.
  const std::vector<MatrixShape>& shapes();
  WeightMatch find(const Constant& changed);
  /// For elements that are not stored one after the other.
  WeightMatch find(std::uint64_t elements, const std::function<double(std::uint64_t)>& element_at);

 private:
  // Samples of a weight, centred and normalised.
  struct Direction {
    Direction(const std::vector<double>& samples);
    double similarity(const Direction& other) const;
    std::vector<float> first, all;
  };
  // Some rows or columns of a matrix, each normalised.
  struct Lines {
    std::uint64_t count = 0, length = 0;
    std::vector<float> directions;
    double similarity(const Lines& other) const;
  };
  struct SampledWeight {
    std::uint64_t fingerprint;
    const Constant* weight;
    Direction direct, transposed;
    Lines rows{}, columns{};  // computed on demand
  };
  std::vector<SampledWeight>& candidates_of_size(std::uint64_t elements);
  WeightMatch find_nearest(std::uint64_t elements, const std::vector<double>& values);
  WeightMatch find_rescaled(const Constant& changed);
  static Lines lines_of(const Constant& weight, bool columns);

  const std::vector<Constant>& reference_;
  std::unordered_set<std::uint64_t> fingerprints_;
  std::vector<MatrixShape> shapes_;                                        // filled on demand
  std::unordered_map<std::uint64_t, std::vector<SampledWeight>> by_size_;  // filled on demand
  std::size_t comparisons_left_ = weight_comparisons;
};

}  // namespace thence::dataflow
