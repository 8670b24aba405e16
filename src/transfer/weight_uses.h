// WeightUses: the operations that read a weight, by its fingerprint.
#pragma once

#include <optional>
#include <vector>

#include "transfer/value_numbering.h"

namespace thence::transfer {

class WeightUses {
 public:
  explicit WeightUses(const ValueGraph& graph) : graph_(graph) {}
  /// False if there are more than `max_candidates`. Builds the index on first use.
  bool find(std::uint64_t fingerprint, std::vector<OperationId>& found);

 private:
  const ValueGraph& graph_;
  std::optional<OperationIndex> by_fingerprint_;
};

/// Whether some operations together read all weights that one operation of the other model reads.
bool together_read_all_weights_of(const ValueGraph& graph, const std::vector<OperationId>& parts,
                                  const ValueGraph& other, const Operation& whole);

}  // namespace thence::transfer
