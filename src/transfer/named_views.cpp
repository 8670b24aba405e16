// Views whose names survived. If a no-op view was removed, the node before it may have taken its name.
#include "transfer/origin_state.h"

namespace thence::transfer {
namespace {

using dataflow::Trait;

bool writes_value(const OriginState& state, onnx::NodeId theirs, CanonicalValue value) {
  const onnx::ValueId output = state.ancestor.model().node(theirs).outputs()[0];
  return state.are_congruent(state.ancestor.canonical(output), value);
}

// Whether a possible no-op of the ancestor that has no partner reads a value.
bool is_removed_noop_of(const OriginState& state, onnx::NodeId theirs, CanonicalValue value) {
  const ValueGraph& ancestor = state.ancestor;
  if (!ancestor.has_trait(theirs, Trait::may_be_noop) || ancestor.is_view(theirs)) return false;
  const onnx::Node node = ancestor.model().node(theirs);
  return !node.inputs().empty() && node.inputs()[0] != none &&
         state.are_congruent(ancestor.canonical(node.inputs()[0]), value) &&
         !state.matching.is_taken[ancestor.canonical(node.outputs()[0])];
}

// A view that was inserted after an operation may have taken the name of its result.
void find_renamed_view(OriginState& state, onnx::NodeId id, onnx::ValueId output, CanonicalValue chosen) {
  const ValueGraph &a = state.ancestor, &d = state.descendant;
  if (d.is_view(id) && !d.has_constant_inputs(id) && chosen != none && a.producer(chosen) != none &&
      dataflow::have_same_name(d, output, a, chosen))
    state.origins[id] = {OriginKind::inserted, Proof::name, {a.producer_node(chosen)}};
}

}  // namespace

void find_named_views(OriginState& state) {
  const ValueGraph &a = state.ancestor, &d = state.descendant;
  for (onnx::NodeId id = 0; id < state.origins.size(); ++id) {
    const auto outputs = d.model().node(id).outputs();
    if (outputs.empty() || outputs[0] == none) continue;
    const CanonicalValue value = d.canonical(outputs[0]), chosen = state.merged.chosen(value);
    find_renamed_view(state, id, outputs[0], chosen);
    const onnx::NodeId same_named = state.matching.names.producer_of_same_name(outputs[0]);
    if (same_named == none || chosen == none || d.constant(value) != nullptr) continue;
    const bool is_view = a.is_view(same_named) && !a.has_constant_inputs(same_named) &&
                         writes_value(state, same_named, chosen);
    if (is_view && d.is_view(id))
      state.origins[id] = {OriginKind::view, Proof::name, {same_named}};
    else if (is_view || is_removed_noop_of(state, same_named, chosen))
      state.set_primary(id, same_named);
  }
}

}  // namespace thence::transfer
