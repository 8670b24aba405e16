// Keys of an operation of the descendant, by which its partner is found among the ancestor's operations.
#pragma once

#include <cstdint>
#include <vector>

#include "transfer/value_numbering.h"

namespace thence::transfer {

class MatchState;

struct OperandCodes {
  std::vector<std::uint64_t> all, variable;  // `variable`: without constants
  bool has_changed_weight = false;           // a constant that the ancestor does not have

  /// False if an operand is neither matched nor constant.
  bool read(const MatchState& state, const Operation& ours);
};

/// The output that all candidates write, up to congruence; if they differ, those with the same detail or the
/// same start of a slice. None if there is none, or if these differ, too.
CanonicalValue agreed_output(const MatchState& state, const std::vector<OperationId>& candidates,
                             const Operation& ours);

}  // namespace thence::transfer
