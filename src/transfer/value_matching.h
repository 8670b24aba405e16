// ValueMatching: the value of the ancestor that each value of the descendant is.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "transfer/value_names.h"
#include "transfer/value_numbering.h"

namespace thence::transfer {

/// How a match of two values is proven.
enum class Proof : std::uint8_t {
  not_proven,
  input,             // a graph input of the same name
  name,              // the name survived, and operator and weights agree
  inputs,            // the same operation on matched operands
  weight,            // the only operation that reads this weight
  consumers,         // the same operand of a matched operation, written by the same operator
  region,            // everything between matched values was fused into one node, or one node was split
  unique_remaining,  // the only operation of its kind on matched operands; its weights were changed
  neighbours,        // the only operation that the matches around it allow
  forwarded,         // a no-op that the ancestor lacks, and the value that it forwards
};

/// Operations of the ancestor that may write a value of the descendant.
using Candidates = std::unordered_map<CanonicalValue, std::vector<OperationId>>;

/// No-ops of the ancestor that a rewrite removed: their outputs, and the inputs that they forward.
using RemovedNoops = std::unordered_map<CanonicalValue, CanonicalValue>;

struct ValueMatching {
  ValueNames names;
  std::vector<CanonicalValue> partners;  // by value of the descendant: the ancestor's, or none
  std::vector<Proof> proofs;
  std::vector<bool> is_taken;  // by value of the ancestor: whether it is a partner
  /// By value of the descendant: further values of the ancestor that were merged into it.
  std::unordered_map<CanonicalValue, std::vector<CanonicalValue>> merged;
  std::vector<std::vector<OperationId>> regions;  // fused operations of the ancestor; [0] is empty
  std::vector<std::uint32_t> region_of;           // by value of the descendant: index of its region
  /// Values of the descendant whose partner's operation was split, and the operations it was split into.
  std::vector<std::pair<CanonicalValue, std::vector<OperationId>>> splits;
  RemovedNoops removed_noops;
  std::vector<std::uint64_t> classes;          // by value of the ancestor, see ValueNumbering
  std::vector<CanonicalValue> next_congruent;  // by value of the ancestor, see ValueNumbering
  Candidates candidates;                       // of values without a partner
};

/// Runs the matchers (see matchers.h) until none matches any more.
ValueMatching match_values(const ValueGraph& ancestor, const ValueGraph& descendant);

}  // namespace thence::transfer
