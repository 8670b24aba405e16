// StatBuilder: adds up the differences and the changes of weights of each module.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "diff/diff.h"
#include "diff/stat.h"
#include "diff/weight_comparison.h"

namespace thence::diff {

class StatBuilder {
 public:
  StatBuilder(WeightComparison& weights, const StatOptions& options) : weights_(weights), options_(options) {}

  /// Adds the weights of a group, which belongs to a module.
  void add_weights(const ModuleRow& module, const Group& group);
  /// The rows in the order of the modules, with the counts of these.
  std::vector<StatRow> finish(const std::vector<ModuleRow>& modules);
  /// The whole model, after finish().
  const StatRow& total() const { return total_.row; }

 private:
  using TensorPair = std::pair<const Tensor*, const Tensor*>;
  struct Sums {
    bool is_changed = false;
    bool is_measured = false;  // false: the numbers cannot be compared one by one
    double norm = 0, change = 0;
  };
  struct WeightTotals {
    StatRow row;
    std::set<TensorPair> counted;
  };
  std::string key_of(const ModuleRow& module) const;
  const Sums& sums_of(const WeightPair& pair);
  Sums measure(const WeightPair& pair);
  static void add(WeightTotals& totals, const TensorPair& pair, const Sums& sums);

  WeightComparison& weights_;
  StatOptions options_;
  std::map<TensorPair, Sums> sums_;                                      // weights are read once
  std::map<std::pair<const char*, const char*>, std::size_t> readings_;  // of the same bytes
  WeightTotals total_;
  std::unordered_map<std::string, WeightTotals> by_module_;  // by "." and path; "" for unknown
};

}  // namespace thence::diff
