// Regions: operations of the ancestor that were fused into one, and operations that were split into several.
#pragma once

#include <optional>
#include <vector>

#include "transfer/value_numbering.h"
#include "transfer/weight_uses.h"

namespace thence::transfer {

class MatchState;

class Regions {
 public:
  /// `state` outlives it, and may change between calls.
  explicit Regions(const MatchState& state);

  /// The ancestor's operations between the operands of a node's operation and `end`, none of them matched.
  std::optional<std::vector<OperationId>> find_fused_region(const Operation& ours, CanonicalValue end);
  /// The descendant's operations between the operands of the ancestor's operation that writes `whole` and
  /// `ours`, if they may be its parts.
  std::optional<std::vector<OperationId>> find_split_parts(const Operation& ours, CanonicalValue whole);
  /// The result of the only operation that `ours` may be the last part of: the parts read all of its weights.
  CanonicalValue find_split_by_weights(const Operation& ours);
  /// The result of the only operations that may be fused into `ours`, which reads all of their weights.
  CanonicalValue find_fused_by_weights(const Operation& ours);

 private:
  template <class Fits>
  CanonicalValue find_unique_use_of_weight(const Operation& ours, Fits fits);
  bool collect_operand_classes(const Operation& ours, std::vector<std::uint64_t>& classes) const;

  const MatchState& state_;
  const ValueGraph &a_, &d_;
  WeightUses weight_uses_;
  std::vector<OperationId> uses_;  // reused
  std::size_t work_left_;          // values that may still be visited
};

}  // namespace thence::transfer
