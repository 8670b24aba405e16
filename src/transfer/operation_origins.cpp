// Origins of nodes whose results are matched.
#include "transfer/origin_state.h"

namespace thence::transfer {
namespace {

using dataflow::Trait;

// Pads that the ancestor has before an operation, and that the descendant computes in the operation.
void add_folded_pads(const OriginState& state, const Operation& ours, CanonicalValue partner,
                     const std::vector<OperationId>& region, std::vector<onnx::NodeId>& nodes) {
  const auto add = [&](OperationId theirs) {
    const CanonicalValue padded = theirs == none ? none : state.ancestor.operation(theirs).padded_input;
    if (padded != none && ours.padded_input == none) add_unique(nodes, state.ancestor.producer_node(padded));
  };
  add(state.ancestor.producer(partner));
  for (const OperationId fused : region) add(fused);
}

// The ancestor's nodes that an operation computes, the one that wrote its result first.
std::vector<onnx::NodeId> computed_nodes(const OriginState& state, const Operation& ours,
                                         CanonicalValue partner) {
  const ValueGraph& ancestor = state.ancestor;
  std::vector<onnx::NodeId> nodes{ancestor.producer_node(partner)};
  for (const CanonicalValue each : state.merged.others(ours.output))
    if (ancestor.producer(each) != none) add_unique(nodes, ancestor.producer_node(each));
  const auto& region = state.matching.regions[state.matching.region_of[ours.output]];
  // If quantisation replaces an activation, the node itself is the operation before that.
  if (ancestor.has_trait(nodes.front(), Trait::clamps) &&
      !state.descendant.has_trait(ours.node, Trait::may_clamp))
    for (const OperationId fused : region)
      if (ancestor.operation(fused).op == ours.op)
        nodes.insert(nodes.begin(), ancestor.operation(fused).node);
  for (const OperationId fused : region) add_unique(nodes, ancestor.operation(fused).node);
  add_folded_pads(state, ours, partner, region, nodes);
  return nodes;
}

void find_operation_origin(OriginState& state, const Operation& ours) {
  if (state.matching.proofs[ours.output] == Proof::forwarded) return;  // another node computes its value
  const CanonicalValue partner = state.merged.chosen(ours.output);
  Origin& origin = state.origins[ours.node];
  if (partner == none) {
    if (origin.kind == OriginKind::unknown) origin = state.candidate_origin(ours.output);
    return;
  }
  if (state.ancestor.producer(partner) == none) return;
  std::vector<onnx::NodeId> nodes = computed_nodes(state, ours, partner);
  const auto outputs = state.descendant.model().node(ours.node).outputs();
  if (outputs.empty() || outputs[0] != ours.output) {
    for (const onnx::NodeId node : nodes) add_unique(origin.nodes, node);
    return;
  }
  origin.kind = state.merged.is_ambiguous(ours.output) ? OriginKind::ambiguous : OriginKind::computes;
  origin.proof = state.matching.proofs[ours.output];
  for (const onnx::NodeId node : origin.nodes) add_unique(nodes, node);
  origin.nodes = std::move(nodes);
}

}  // namespace

void find_operation_origins(OriginState& state) {
  for (const Operation& operation : state.descendant.operations()) find_operation_origin(state, operation);
}

}  // namespace thence::transfer
