// Scales that were folded into weights. A scale of the ancestor is a view; if it was folded into the weight,
// the node computes the scaled result, and so what forwards that result comes from the scale.
#include <cmath>

#include "dataflow/scale_factors.h"
#include "transfer/folded.h"
#include "transfer/origin_state.h"

namespace thence::transfer {
namespace {

bool are_equal_factors(double a, double b) { return std::abs(a - b) <= factor_tolerance * std::abs(b); }

// The view of the ancestor that multiplies the result of a node by its factor; none if there is none.
onnx::NodeId find_scale(const OriginState& state, onnx::NodeId ours, CanonicalValue result) {
  const double factor = dataflow::product_factor(state.descendant, ours);
  if (factor == 1 || state.merged.chosen(result) == none) return none;
  const auto* const views = state.find_unmatched_views(state.merged.chosen(result), "Mul");
  if (views == nullptr) return none;
  const auto found = std::find_if(views->begin(), views->end(), [&](onnx::NodeId view) {
    const double number = dataflow::view_factor(state.ancestor, view);
    return are_equal_factors(number, factor) || (views->size() == 1 && std::isnan(number));  // computed
  });
  return found == views->end() ? none : *found;
}

}  // namespace

void find_folded_scales(OriginState& state) {
  const ValueGraph& graph = state.descendant;
  std::unordered_map<CanonicalValue, onnx::NodeId> unscaled;  // by scaled result: its primary origin before
  const auto scales = folded_scales(state.ancestor, state.matching.regions);
  for (onnx::NodeId id = 0; id < state.origins.size(); ++id) {
    const auto outputs = graph.model().node(id).outputs();
    if (state.origins[id].kind != OriginKind::computes || outputs.empty() || outputs[0] == none) continue;
    const CanonicalValue result = graph.canonical(outputs[0]);
    const onnx::NodeId primary = state.origins[id].nodes.front();
    const auto fused = scales.find(primary);
    const onnx::NodeId scale = fused != scales.end() ? fused->second : find_scale(state, id, result);
    if (scale == none) continue;
    unscaled.emplace(result, primary);
    state.set_primary(id, scale);
  }
  for (onnx::NodeId id = 0; id < state.origins.size() && !unscaled.empty(); ++id) {
    if (state.origins[id].kind != OriginKind::inserted) continue;
    const CanonicalValue forwarded = graph.canonical(graph.model().node(id).outputs()[0]);
    if (const auto before = unscaled.find(forwarded);
        before != unscaled.end() && state.origins[id].nodes.front() == before->second)
      state.origins[id].nodes.front() = state.origins[graph.producer_node(forwarded)].nodes.front();
  }
}

}  // namespace thence::transfer
