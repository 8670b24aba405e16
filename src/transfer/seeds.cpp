#include "transfer/seeds.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "transfer/thresholds.h"

namespace thence::transfer {
namespace {

using dataflow::Constant;
using dataflow::Operation;

void find_inputs(const ValueGraph& theirs, const ValueGraph& ours, Seeds& seeds) {
  std::unordered_map<std::string_view, onnx::ValueId> by_name;
  for (const onnx::ValueId value : theirs.model().graphs()[0].inputs)
    if (theirs.constant(theirs.canonical(value)) == nullptr)
      by_name.emplace(theirs.model().value_name(value), value);
  for (const onnx::ValueId value : ours.model().graphs()[0].inputs) {
    const auto same = by_name.find(ours.model().value_name(value));
    if (same != by_name.end())
      seeds.inputs.emplace_back(ours.canonical(value), theirs.canonical(same->second));
  }
}

// Graph outputs correspond by position, whatever their names.
void find_outputs(const ValueGraph& theirs, const ValueGraph& ours, Seeds& seeds) {
  const auto &mine = ours.model().graphs()[0].outputs, &others = theirs.model().graphs()[0].outputs;
  if (mine.size() != others.size()) return;
  for (std::size_t i = 0; i < mine.size(); ++i)
    if (mine[i] != none && others[i] != none)
      seeds.hints.emplace_back(ours.canonical(mine[i]), theirs.canonical(others[i]));
}

std::vector<std::uint64_t> sorted_weights(const ValueGraph& graph, const Operation& operation) {
  std::vector<std::uint64_t> found;
  for (const CanonicalValue input : graph.inputs(operation))
    if (const Constant* const constant = graph.constant(input)) found.push_back(constant->fingerprint);
  std::sort(found.begin(), found.end());
  return found;
}

// A name alone is only a hint: the operator and the weights must be the same, too.
void find_names(const ValueGraph& theirs, const ValueGraph& ours, const ValueNames& names, Seeds& seeds) {
  for (const Operation& operation : ours.operations()) {
    if (operation.output >= ours.model().value_count() || ours.constant(operation.output) != nullptr)
      continue;
    const onnx::ValueId same = names.value_of_same_or_derived_name(operation.output);
    const CanonicalValue value = same == none ? none : theirs.canonical(same);
    if (value == none || theirs.constant(value) != nullptr || theirs.producer(value) == none) continue;
    const Operation& other = theirs.operation(theirs.producer(value));
    if (value == same && other.op == operation.op && other.output_index == operation.output_index &&
        sorted_weights(ours, operation) == sorted_weights(theirs, other))
      seeds.same_name.emplace(operation.output, value);
    seeds.hints.emplace_back(operation.output, value);
  }
}

std::unordered_set<std::uint64_t> all_weights(const ValueGraph& graph) {
  std::unordered_set<std::uint64_t> found;
  for (const Operation& operation : graph.operations())
    for (const CanonicalValue input : graph.inputs(operation))
      if (const Constant* const constant = graph.constant(input);
          constant != nullptr && constant->may_be_weight())
        found.insert(constant->fingerprint);
  return found;
}

// The first weight that an operation reads; 0 if it reads none.
std::uint64_t first_weight(const ValueGraph& graph, const Operation& operation) {
  for (const CanonicalValue input : graph.inputs(operation))
    if (const Constant* const constant = graph.constant(input);
        constant != nullptr && constant->may_be_weight())
      return constant->fingerprint;
  return 0;
}

}  // namespace

bool are_names_misleading(const ValueGraph& ancestor, const ValueGraph& descendant, const ValueNames& names) {
  const std::unordered_set<std::uint64_t> known = all_weights(ancestor);
  std::size_t agreeing = 0, misleading = 0;
  for (const Operation& operation : descendant.operations()) {
    const std::uint64_t weight = first_weight(descendant, operation);
    if (weight == 0 || !known.contains(weight) || operation.output >= descendant.model().value_count())
      continue;
    const onnx::ValueId same = names.value_of_same_name(operation.output);
    const CanonicalValue value = same == none ? none : ancestor.canonical(same);
    if (value == none || value != same || ancestor.producer(value) == none) continue;
    const std::uint64_t other = first_weight(ancestor, ancestor.operation(ancestor.producer(value)));
    if (other != 0) ++(other == weight ? agreeing : misleading);
  }
  return static_cast<double>(misleading) > max_misleading_names * static_cast<double>(agreeing + misleading);
}

Seeds seeds_of(const ValueGraph& ancestor, const ValueGraph& descendant, const ValueNames& names) {
  Seeds seeds;
  find_inputs(ancestor, descendant, seeds);
  find_names(ancestor, descendant, names, seeds);
  find_outputs(ancestor, descendant, seeds);
  return seeds;
}

}  // namespace thence::transfer
