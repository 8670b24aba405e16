// Origins of nodes that one operation of the ancestor was split into. All of them come from that operation,
// and so do the views between them.
#include "transfer/origin_state.h"
#include "transfer/split_shapes.h"
#include "transfer/view_chains.h"

namespace thence::transfer {
namespace {

using dataflow::Trait;

// The last node of a split operation gives its result a shape that was computed.
bool reshapes_to_computed_shape(const ValueGraph& graph, onnx::NodeId view) {
  const onnx::Node node = graph.model().node(view);
  return graph.op(view).name == "Reshape" && node.inputs().size() > 1 && node.inputs()[1] != none &&
         graph.constant(graph.canonical(node.inputs()[1])) == nullptr;
}

// The ancestor's views between a value and the operation that was split.
std::vector<onnx::NodeId> views_of_whole(const OriginState& state, onnx::NodeId whole,
                                         CanonicalValue partner) {
  std::vector<onnx::NodeId> views;
  if (partner == none) return views;
  for (const onnx::ValueId read : state.ancestor.model().node(whole).inputs())
    if (read != none && state.are_congruent(state.ancestor.canonical(read), partner))
      views = view_chain(state.ancestor, read, state.matching.removed_noops, partner).views;
  return views;
}

// The views of a value that a part reads: first those of the part itself, then the ancestor's.
void find_views_of_part(OriginState& state, onnx::ValueId value, const Origin& whole) {
  const ValueGraph &a = state.ancestor, &d = state.descendant;
  const std::vector<onnx::NodeId> ours = view_chain(d, value);
  std::vector<onnx::NodeId> theirs =
      views_of_whole(state, whole.nodes.front(), state.merged.chosen(d.canonical(value)));
  drop_noop_views(a, theirs, count_reshaping(d, ours));
  const ChainAlignment alignment = align_view_chains(d, ours, a, theirs);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const onnx::NodeId view = ours[i];
    if (reshapes_to_computed_shape(d, view)) break;  // views before it come from the operation before
    if (state.origins[view].kind != OriginKind::unknown || d.has_constant_inputs(view) ||
        d.has_trait(view, Trait::quantiser))
      continue;
    if (alignment.positions[i] != ChainAlignment::unaligned)
      state.origins[view] = {OriginKind::view, Proof::region, {theirs[alignment.positions[i]]}};
    else if (alignment.gaps[i].first == 0)
      state.origins[view] = whole;
  }
}

void find_part_origins(OriginState& state, const Origin& whole, const std::vector<OperationId>& parts) {
  for (const OperationId id : parts) {
    const onnx::NodeId node = state.descendant.operation(id).node;
    Origin& origin = state.origins[node];
    if (origin.kind == OriginKind::unknown) {
      origin = whole;
    } else if (origin.proof == Proof::region && origin.nodes.front() != whole.nodes.front()) {
      origin.kind = OriginKind::ambiguous;  // several operations were merged into it
      add_unique(origin.nodes, whole.nodes.front());
    }
    for (const onnx::ValueId value : state.descendant.model().node(node).inputs())
      if (value != none) find_views_of_part(state, value, whole);
  }
}

// The ancestor's node of a split value; none if it is not certain.
onnx::NodeId split_node(const OriginState& state, CanonicalValue ours) {
  const CanonicalValue whole = state.merged.chosen(ours);
  return whole == none || state.merged.is_ambiguous(ours) ? none : state.ancestor.producer_node(whole);
}

}  // namespace

void find_split_origins(OriginState& state) {
  for (const auto& [value, parts] : state.matching.splits)
    if (const onnx::NodeId whole = split_node(state, value); whole != none)
      find_part_origins(state, {OriginKind::computes, Proof::region, {whole}}, parts);
}

void find_split_shapes(OriginState& state) {
  std::unordered_set<onnx::NodeId> wholes;
  for (const auto& [value, parts] : state.matching.splits)
    if (const onnx::NodeId whole = split_node(state, value); whole != none) wholes.insert(whole);
  if (!wholes.empty()) find_shapes_of_parts(state.descendant, wholes, state.origins);
}

}  // namespace thence::transfer
