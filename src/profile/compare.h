// Compares two profiles row by row: what became faster or slower, and whether the difference is more than the
// differences between runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/rows.h"

namespace thence::profile {

enum class Verdict : std::uint8_t {
  no_significant_change,
  faster,
  slower,
  only_before,
  only_after,
  too_few_runs
};
std::string_view name_of(Verdict verdict);

/// One row of both profiles. Times are medians over the runs, in microseconds.
struct Change {
  std::string key;
  ModuleId module = no_module;  // in the first profile's map, else in the second's
  std::size_t depth = 0;
  bool is_unexplained = false, is_total = false;
  double before = 0, after = 0;
  double difference = 0;     // after minus before
  double low = 0, high = 0;  // interval of the difference
  Verdict verdict = Verdict::no_significant_change;
};

struct Comparison {
  std::vector<Change> changes;  // the total first, then by the size of the difference
  std::size_t runs_before = 0, runs_after = 0;
};

Comparison compare(const ProfileRows& before, const ProfileRows& after);

struct Interval {
  double low = 0, high = 0;
};
/// The bootstrap interval of the difference of two medians (Efron's percentile method), with a fixed seed.
Interval bootstrap_difference(const std::vector<double>& before, const std::vector<double>& after);

}  // namespace thence::profile
