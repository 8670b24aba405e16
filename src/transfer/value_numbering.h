// ValueNumbering: congruence classes of the ancestor's values (equal expressions have equal classes), and its
// operations by what they read.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "dataflow/value_graph.h"
#include "transfer/operation_index.h"

namespace thence::transfer {

using dataflow::CanonicalValue;
using dataflow::Constant;
using dataflow::Operation;
using dataflow::ValueGraph;

struct ValueNumbering {
  explicit ValueNumbering(const ValueGraph& ancestor);

  /// The key of an operation and the codes of its operands. Sorts the codes of a commutative operation.
  static std::uint64_t key_of(const Operation& operation, std::vector<std::uint64_t>& codes);
  static std::uint64_t weight_key(const Operation& operation, const Constant& weight);

  /// The operands of an operation of either model without shapes, which rewriters replace by constants, and
  /// without constants that the ancestor does not have.
  void data_inputs(const ValueGraph& graph, const Operation& operation,
                   std::vector<CanonicalValue>& data) const;

  std::vector<std::uint64_t> classes;              // by value
  std::vector<CanonicalValue> next_congruent;      // by value: the next one of its class, in a cycle
  std::unordered_set<std::uint64_t> fingerprints;  // of constants
  OperationIndex by_operands;
  OperationIndex by_data_operands;  // without constants; also without shapes
  OperationIndex by_weight;         // by operator and one weight

 private:
  void add(const ValueGraph& graph, OperationId id);
  void collect_codes(const ValueGraph& graph, OperationId id);
  std::vector<std::uint64_t> codes_, variable_,
      data_;  // reused: all operands; no constants; no shapes either
};

}  // namespace thence::transfer
