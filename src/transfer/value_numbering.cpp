#include "transfer/value_numbering.h"

#include <algorithm>
#include <numeric>

#include "dataflow/hash_mix.h"

namespace thence::transfer {

using dataflow::combine_hash;

std::uint64_t ValueNumbering::key_of(const Operation& operation, std::vector<std::uint64_t>& codes) {
  if (operation.is_commutative) std::sort(codes.begin(), codes.end());
  std::uint64_t key = combine_hash(operation.op, operation.output_index);
  for (const std::uint64_t code : codes) key = combine_hash(key, code);
  return key;
}

std::uint64_t ValueNumbering::weight_key(const Operation& operation, const Constant& weight) {
  return combine_hash(combine_hash(operation.op, operation.output_index), weight.fingerprint ^ 0x77);
}

void ValueNumbering::data_inputs(const ValueGraph& graph, const Operation& operation,
                                 std::vector<CanonicalValue>& data) const {
  data.clear();
  for (const CanonicalValue input : graph.inputs(operation)) {
    const Constant* const constant = graph.constant(input);
    const onnx::NodeId producer = graph.producer_node(input);
    const bool is_data = constant != nullptr ? fingerprints.contains(constant->fingerprint)
                                             : producer == none || !graph.is_shape_or_constant(producer);
    if (is_data) data.push_back(input);
  }
}

ValueNumbering::ValueNumbering(const ValueGraph& ancestor)
    : classes(ancestor.canonical_count()), next_congruent(ancestor.canonical_count()) {
  for (CanonicalValue value = 0; value < classes.size(); ++value)
    classes[value] = combine_hash(value, 0x616e63);
  std::iota(next_congruent.begin(), next_congruent.end(), CanonicalValue{0});
  by_operands.reserve(ancestor.operations().size());
  by_data_operands.reserve(ancestor.operations().size());
  for (OperationId id = 0; id < ancestor.operations().size(); ++id) add(ancestor, id);
}

void ValueNumbering::collect_codes(const ValueGraph& graph, OperationId id) {
  const Operation& operation = graph.operation(id);
  codes_.clear();
  variable_.clear();
  data_.clear();
  for (const CanonicalValue input : graph.inputs(operation)) {
    const Constant* const constant = graph.constant(input);
    if (constant == nullptr) {
      codes_.push_back(classes[input]);
      variable_.push_back(codes_.back());
      const onnx::NodeId producer = graph.producer_node(input);
      if (producer == none || !graph.is_shape_or_constant(producer)) data_.push_back(codes_.back());
      continue;
    }
    codes_.push_back(constant->fingerprint != 0 ? constant->fingerprint : classes[input]);
    if (constant->fingerprint == 0) continue;
    fingerprints.insert(constant->fingerprint);
    if (constant->elements >= min_identifying_elements) by_weight.add(weight_key(operation, *constant), id);
  }
}

void ValueNumbering::add(const ValueGraph& graph, OperationId id) {
  const Operation& operation = graph.operation(id);
  collect_codes(graph, id);
  const std::uint64_t key = key_of(operation, codes_);
  // A no-op is congruent to its input, and may also be matched itself.
  classes[operation.output] = operation.forwarded_input != none ? classes[operation.forwarded_input]
                                                                : combine_hash(key, operation.attribute_hash);
  if (variable_.empty() && operation.input_count > 0) return;  // constants alone prove nothing
  by_operands.add(key, id, [&](OperationId other) {
    const CanonicalValue congruent = graph.operation(other).output;
    if (classes[congruent] != classes[operation.output]) return false;
    std::swap(next_congruent[congruent], next_congruent[operation.output]);
    return true;
  });
  // Computed constants may be part of the detail instead of the operands.
  if (!variable_.empty()) by_data_operands.add(key_of(operation, variable_), id);
  if (!data_.empty() && data_.size() < variable_.size()) by_data_operands.add(key_of(operation, data_), id);
}

}  // namespace thence::transfer
