// Views that no alignment reaches: the ancestor's own, or inserted ones, which come from the value they
// forward.
#include "dataflow/primitive_ops.h"
#include "transfer/origin_state.h"
#include "transfer/view_chains.h"

namespace thence::transfer {
namespace {

using dataflow::Trait;

// A view of a value with several candidates: any view of theirs that it may be, or the candidates themselves.
void find_view_of_candidates(OriginState& state, onnx::NodeId id, CanonicalValue value) {
  const auto candidates = state.matching.candidates.find(value);
  if (candidates == state.matching.candidates.end()) return;
  const std::string_view op = dataflow::canonical_view_op(state.descendant.model().node(id));
  std::vector<onnx::NodeId> found;
  for (const OperationId each : candidates->second)
    if (const auto* const views = state.find_unmatched_views(state.ancestor.operation(each).output, op))
      for (const onnx::NodeId view : *views)
        if (may_be_same_view(state.descendant, id, state.ancestor, view)) add_unique(found, view);
  state.origins[id] = found.empty() ? state.candidate_origin(value)
                                    : Origin{OriginKind::ambiguous, Proof::neighbours, std::move(found)};
}

// The ancestor's unmatched views of the same value that a view may be.
std::vector<onnx::NodeId> possible_views(const OriginState& state, onnx::NodeId id, CanonicalValue partner) {
  std::vector<onnx::NodeId> found;
  const auto* const views =
      state.find_unmatched_views(partner, dataflow::canonical_view_op(state.descendant.model().node(id)));
  if (views == nullptr) return found;
  std::copy_if(views->begin(), views->end(), std::back_inserter(found), [&](onnx::NodeId theirs) {
    return may_be_same_view(state.descendant, id, state.ancestor, theirs);
  });
  drop_noop_views(state.ancestor, found, 1);
  return found;
}

// The origin of the value that an inserted view forwards: of the view before it, or of the operation.
onnx::NodeId forwarded_origin(const OriginState& state, onnx::NodeId id, CanonicalValue value,
                              CanonicalValue partner) {
  for (const onnx::NodeId view : view_chain(state.descendant, state.descendant.model().node(id).outputs()[0]))
    if (view != id) {
      const Origin& before = state.origins[view];
      return before.is_certain() ? before.nodes.front() : none;
    }
  const onnx::NodeId producer = state.ancestor.producer_node(partner);
  const bool is_activation = producer != none && state.ancestor.has_trait(producer, Trait::clamps);
  return is_activation ? state.origin_of_viewed(id, producer) : state.primary_origin(value);
}

void find_inserted_view(OriginState& state, onnx::NodeId id) {
  const ValueGraph& d = state.descendant;
  if (state.origins[id].kind != OriginKind::unknown || !d.is_view(id) || d.has_constant_inputs(id)) return;
  const auto outputs = d.model().node(id).outputs();
  if (outputs.empty() || outputs[0] == none) return;
  const CanonicalValue value = d.canonical(outputs[0]), partner = state.merged.chosen(value);
  if (partner == none) return find_view_of_candidates(state, id, value);
  if (state.merged.is_ambiguous(value)) return;
  const Proof proof = state.matching.proofs[value];
  if (std::vector<onnx::NodeId> views = possible_views(state, id, partner); !views.empty()) {
    const OriginKind kind = views.size() == 1 ? OriginKind::view : OriginKind::ambiguous;
    state.origins[id] = {kind, proof, std::move(views)};
    return;
  }
  if (const onnx::NodeId reduction = replaced_reduction(state, id, partner); reduction != none) {
    state.origins[id] = {OriginKind::view, proof, {reduction}};
    return;
  }
  if (const onnx::NodeId origin = forwarded_origin(state, id, value, partner); origin != none)
    state.origins[id] = {OriginKind::inserted, proof, {origin}};
}

}  // namespace

void find_inserted_views(OriginState& state) {
  for (const onnx::NodeId id : state.descendant.order()) find_inserted_view(state, id);
}

}  // namespace thence::transfer
