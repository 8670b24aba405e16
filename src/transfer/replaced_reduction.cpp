// Reductions that reduce nothing, which a rewrite replaced by a view.
#include <algorithm>
#include <array>

#include "transfer/origin_state.h"
#include "transfer/thresholds.h"

namespace thence::transfer {
namespace {

// Along axes of size 1 these change nothing but the shape.
constexpr std::array<std::string_view, 5> reductions = {"ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd",
                                                        "ReduceSum"};

// Whether a node of each model writes the same shape, which is that of `value` without at least one size
// of 1.
bool only_drops_ones(const shapes::Shape& value, const shapes::Shape& theirs, const shapes::Shape& ours) {
  const auto before = value.sizes(), after = theirs.sizes(), written = ours.sizes();
  const auto is_known_and_equal = [](const shapes::Size& a, const shapes::Size& b) {
    return a.known() && a == b;
  };
  if (!value.known() || !theirs.known() || !ours.known() || before.size() == after.size() ||
      !std::equal(after.begin(), after.end(), written.begin(), written.end(), is_known_and_equal))
    return false;
  std::size_t at = 0;  // in `after`
  for (const shapes::Size& size : before)
    if (at < after.size() && is_known_and_equal(size, after[at]))
      ++at;
    else if (!size.is(1))
      return false;
  return at == after.size();
}

}  // namespace

onnx::NodeId replaced_reduction(const OriginState& state, onnx::NodeId view, CanonicalValue theirs) {
  const auto shape_of = [](const ValueGraph& graph, onnx::ValueId value) {
    return graph.shapes().values.shape(value);
  };
  const onnx::ValueId written = state.descendant.model().node(view).outputs()[0];
  const auto uses = state.ancestor.uses(theirs);
  for (const OperationId use : uses.first(std::min(uses.size(), max_views_of_value))) {
    const onnx::Node node = state.ancestor.model().node(state.ancestor.operation(use).node);
    if (std::find(reductions.begin(), reductions.end(), node.op_type()) == reductions.end() ||
        node.inputs()[0] == none || node.outputs()[0] == none ||
        state.matching.is_taken[state.ancestor.canonical(node.outputs()[0])])
      continue;
    if (only_drops_ones(shape_of(state.ancestor, node.inputs()[0]),
                        shape_of(state.ancestor, node.outputs()[0]), shape_of(state.descendant, written)))
      return state.ancestor.operation(use).node;
  }
  return none;
}

}  // namespace thence::transfer
