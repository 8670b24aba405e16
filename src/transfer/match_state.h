// MatchState: what is matched so far, and the worklist of operations to look at again. The matchers read it
// and add to it.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "transfer/operand_codes.h"
#include "transfer/regions.h"
#include "transfer/value_matching.h"

namespace thence::transfer {

/// Buffers that the matchers reuse, so that most calls allocate nothing.
struct MatchBuffers {
  OperandCodes codes;
  std::vector<OperationId> candidates;
  std::vector<CanonicalValue> ours, theirs;
};

class MatchState {
 public:
  MatchState(const ValueGraph& ancestor, const ValueGraph& descendant);
  MatchState(const MatchState&) = delete;

  const ValueGraph& ancestor() const { return a_; }
  const ValueGraph& descendant() const { return d_; }
  const ValueNumbering& numbering() const { return numbering_; }
  Regions& regions() { return regions_; }
  MatchBuffers& buffers() { return buffers_; }

  bool is_matched(CanonicalValue ours) const { return result_.partners[ours] != none; }
  CanonicalValue partner(CanonicalValue ours) const { return result_.partners[ours]; }
  Proof proof(CanonicalValue ours) const { return result_.proofs[ours]; }
  bool is_taken(CanonicalValue theirs) const { return result_.is_taken[theirs]; }
  std::uint64_t class_of(CanonicalValue theirs) const { return numbering_.classes[theirs]; }
  bool are_congruent(CanonicalValue one, CanonicalValue other) const {
    return class_of(one) == class_of(other);
  }
  /// The value that a hint suggests; none if there is no hint.
  CanonicalValue hint(CanonicalValue ours) const { return hints_[ours]; }
  /// The value of the same name whose producer has the same operator and weights, or none.
  CanonicalValue same_name(CanonicalValue ours) const;
  /// Whether two values of the ancestor are congruent, or would be without a possible no-op that writes
  /// `other`.
  bool are_congruent_without_noop(CanonicalValue one, CanonicalValue other) const;
  /// Whether the same operator writes both values.
  bool have_same_operator(CanonicalValue ours, CanonicalValue theirs) const;
  /// Whether a node reads a weight that was changed otherwise than by quantisation.
  bool reads_changed_weight(onnx::NodeId node) const;

  /// Matches the output of an operation with a value, or with the result of the activation or scale after it
  /// that is folded into the descendant's operation.
  void accept(const Operation& ours, CanonicalValue theirs, Proof proof);
  /// Matches two values and queues the operations around them.
  void add_match(CanonicalValue ours, CanonicalValue theirs, Proof proof);
  void add_hint(CanonicalValue ours, CanonicalValue theirs);
  void add_merged(CanonicalValue ours, CanonicalValue theirs);
  void add_removed_noop(CanonicalValue theirs);
  /// Matches an operation with `end`, which the operations of a region compute together.
  void add_fused(const Operation& ours, CanonicalValue end, std::vector<OperationId> region);
  /// Matches the last of several operations with the result of the one that was split into them.
  void add_split(const Operation& ours, CanonicalValue whole, std::vector<OperationId> parts);

  bool has_queued() const { return !queue_.empty(); }
  OperationId next_queued();

  /// The result; the state is empty afterwards.
  ValueMatching finish();

 private:
  void set_region(CanonicalValue ours, std::vector<OperationId> region);
  CanonicalValue value_after_folded_operations(const Operation& ours, CanonicalValue theirs,
                                               bool changed) const;
  bool reads_rescaled_weight(onnx::NodeId node) const;

  const ValueGraph &a_, &d_;
  ValueMatching result_;
  ValueNumbering numbering_;
  std::vector<CanonicalValue> hints_;                             // by value of the descendant
  std::unordered_map<CanonicalValue, CanonicalValue> same_name_;  // see Seeds
  Regions regions_;
  MatchBuffers buffers_;
  std::deque<OperationId> queue_;
};

}  // namespace thence::transfer
