#include "transfer/claims.h"

namespace thence::transfer {
namespace {

// By canonical value, the values of the main graph that hold it.
std::vector<std::vector<onnx::ValueId>> tensors_of(const ValueGraph& graph) {
  std::vector<std::vector<onnx::ValueId>> found(graph.canonical_count());
  const onnx::Graph& main = graph.model().graphs()[0];
  for (onnx::NodeId id = main.first_node; id < main.first_node + main.node_count; ++id)
    for (const onnx::ValueId value : graph.model().node(id).outputs())
      if (value != none && found[graph.canonical(value)].size() < max_claimed_tensors)
        found[graph.canonical(value)].push_back(value);
  return found;
}

// The tensors of a value, then those of values that are congruent to it: they may differ by a scale that is
// folded into an operand, so the numbers decide which of them is meant.
std::vector<onnx::ValueId> tensors_of_class(const std::vector<std::vector<onnx::ValueId>>& tensors,
                                            const ValueMatching& matching, CanonicalValue value) {
  std::vector<onnx::ValueId> found = tensors[value];
  for (CanonicalValue each = matching.next_congruent[value];
       each != value && found.size() < max_claimed_tensors; each = matching.next_congruent[each])
    found.insert(found.end(), tensors[each].begin(), tensors[each].end());
  return found;
}

}  // namespace

std::vector<Claim> claims_of(const ValueGraph& ancestor, const ValueGraph& descendant,
                             const ValueMatching& matching) {
  const auto theirs = tensors_of(ancestor);
  auto ours = tensors_of(descendant);
  std::vector<Claim> claims;
  for (const Operation& operation : descendant.operations()) {
    const CanonicalValue value = operation.output, partner = matching.partners[value];
    const bool is_tensor = value < descendant.model().value_count() || !ours[value].empty();
    if (partner == none || !is_tensor || descendant.constant(value) != nullptr) continue;
    claims.push_back(
        {value, operation.node, std::move(ours[value]), tensors_of_class(theirs, matching, partner)});
  }
  return claims;
}

}  // namespace thence::transfer
