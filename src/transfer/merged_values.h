// MergedValues: which of several congruent values of the ancestor a value of the descendant is, decided by
// its uses.
#pragma once

#include <unordered_map>
#include <vector>

#include "transfer/value_matching.h"

namespace thence::transfer {

class MergedValues {
 public:
  /// `matching` outlives it.
  MergedValues(const ValueGraph& ancestor, const ValueGraph& descendant, const ValueMatching& matching);

  /// The ancestor's value that a value of the descendant is; none if it has no partner.
  CanonicalValue chosen(CanonicalValue ours) const { return chosen_[ours]; }
  /// Whether it may be any of several, and no use decides which.
  bool is_ambiguous(CanonicalValue ours) const { return is_ambiguous_[ours]; }
  /// The values besides the chosen one that it may be as well or, if they were merged, is as well.
  std::vector<CanonicalValue> others(CanonicalValue ours) const;

 private:
  CanonicalValue same_named_congruent(const ValueGraph& ancestor, const ValueGraph& descendant,
                                      CanonicalValue ours) const;
  std::vector<CanonicalValue> values_read_by_partners(const ValueGraph& ancestor,
                                                      const ValueGraph& descendant,
                                                      CanonicalValue ours) const;

  const ValueMatching& matching_;
  std::vector<CanonicalValue> chosen_;  // by value of the descendant
  std::vector<bool> is_ambiguous_;
  std::unordered_map<CanonicalValue, std::vector<CanonicalValue>> merged_;
};

}  // namespace thence::transfer
