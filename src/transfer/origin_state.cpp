#include "transfer/origin_state.h"

#include "base/text_hash.h"
#include "dataflow/hash_mix.h"
#include "dataflow/primitive_ops.h"
#include "transfer/view_chains.h"

namespace thence::transfer {

using dataflow::Trait;

std::uint64_t OriginState::view_key(CanonicalValue theirs, std::string_view op) const {
  return dataflow::combine_hash(matching.classes[theirs], base::text_hash(op, 0));
}

const std::vector<onnx::NodeId>* OriginState::find_unmatched_views(CanonicalValue theirs,
                                                                   std::string_view op) const {
  const auto found = unmatched_views.find(view_key(theirs, op));
  return found == unmatched_views.end() ? nullptr : &found->second;
}

Origin OriginState::candidate_origin(CanonicalValue ours) const {
  const auto found = matching.candidates.find(ours);
  if (found == matching.candidates.end()) return {};
  Origin origin{OriginKind::ambiguous, Proof::neighbours, {}};
  for (const OperationId each : found->second) add_unique(origin.nodes, ancestor.operation(each).node);
  return origin;
}

onnx::NodeId OriginState::primary_origin(CanonicalValue ours) const {
  if (const onnx::NodeId producer = descendant.producer_node(ours); producer != none) {
    const bool is_first_output = descendant.model().node(producer).outputs()[0] == ours;
    if (is_first_output && origins[producer].kind == OriginKind::computes)
      return origins[producer].nodes.front();
  }
  return ancestor.producer_node(merged.chosen(ours));
}

onnx::NodeId OriginState::origin_of_viewed(onnx::NodeId view, onnx::NodeId theirs) const {
  if (theirs == none || !ancestor.has_trait(theirs, Trait::clamps)) return theirs;
  const onnx::ValueId value = descendant.model().node(view).outputs()[0];
  const std::vector<onnx::NodeId> views = view_chain(descendant, value);
  const onnx::NodeId producer = descendant.producer_node(descendant.canonical(value));
  const bool is_clamped =
      std::any_of(views.begin(), views.end(),
                  [&](onnx::NodeId id) { return descendant.has_trait(id, Trait::quantiser); }) ||
      producer == none || descendant.has_trait(producer, Trait::may_clamp);
  return is_clamped ? theirs : primary_origin(descendant.canonical(value));
}

void OriginState::set_primary(onnx::NodeId ours, onnx::NodeId theirs) {
  std::vector<onnx::NodeId>& nodes = origins[ours].nodes;
  if (origins[ours].kind != OriginKind::computes || nodes.front() == theirs) return;
  std::erase(nodes, theirs);
  nodes.insert(nodes.begin(), theirs);
}

void index_unmatched_views(OriginState& state) {
  const ValueGraph& ancestor = state.ancestor;
  std::vector<bool> is_origin(ancestor.model().node_count(), false);
  for (const Origin& origin : state.origins)
    if (origin.kind == OriginKind::view) is_origin[origin.nodes.front()] = true;
  for (onnx::NodeId id = 0; id < is_origin.size(); ++id) {
    if (!ancestor.is_view(id) || is_origin[id]) continue;
    const CanonicalValue viewed = ancestor.canonical(ancestor.model().node(id).outputs()[0]);
    auto& same =
        state.unmatched_views[state.view_key(viewed, dataflow::canonical_view_op(ancestor.model().node(id)))];
    if (same.size() < max_views_of_value) same.push_back(id);
  }
}

}  // namespace thence::transfer
