#include "transfer/folded.h"

#include <algorithm>

#include "transfer/thresholds.h"

namespace thence::transfer {
namespace {

using dataflow::Trait;

bool is_read_by(const ValueGraph& graph, CanonicalValue value, std::uint32_t op) {
  const auto uses = graph.uses(value);
  return std::any_of(uses.begin(), uses.end(), [&](OperationId id) { return graph.operation(id).op == op; });
}

bool reads_weight(const ValueGraph& graph, const Operation& operation) {
  const auto inputs = graph.inputs(operation);
  return std::any_of(inputs.begin(), inputs.end(), [&](CanonicalValue input) {
    return graph.constant(input) != nullptr && graph.constant(input)->may_be_weight();
  });
}

}  // namespace

CanonicalValue value_after_activation(const ValueGraph& ancestor, const ValueGraph& descendant,
                                      const Operation& ours, CanonicalValue theirs) {
  if (!descendant.may_be_clamped(ours.output) || ancestor.uses(theirs).size() != 1) return theirs;
  const Operation& use = ancestor.operation(ancestor.uses(theirs).front());
  const bool is_removed =
      ancestor.has_trait(use.node, Trait::clamps) && !is_read_by(descendant, ours.output, use.op);
  return is_removed ? use.output : theirs;
}

CanonicalValue value_after_folded(const ValueGraph& ancestor, const ValueGraph& descendant,
                                  const Operation& ours, CanonicalValue theirs) {
  for (int folded = 0; folded < max_folded && ancestor.uses(theirs).size() == 1; ++folded) {
    const Operation& use = ancestor.operation(ancestor.uses(theirs).front());
    const auto inputs = ancestor.inputs(use);
    const bool by_constant = std::all_of(inputs.begin(), inputs.end(), [&](CanonicalValue input) {
      return input == theirs || ancestor.constant(input) != nullptr;
    });
    if (!by_constant || !ancestor.has_trait(use.node, Trait::scales) ||
        is_read_by(descendant, ours.output, use.op))
      break;
    theirs = use.output;
  }
  return theirs;
}

std::unordered_map<onnx::NodeId, onnx::NodeId> folded_scales(
    const ValueGraph& ancestor, const std::vector<std::vector<OperationId>>& regions) {
  std::unordered_map<onnx::NodeId, onnx::NodeId> scales;
  for (const std::vector<OperationId>& region : regions) {
    if (region.empty()) continue;
    const onnx::NodeId scale = ancestor.operation(region.front()).node;
    const std::string_view op = ancestor.op(scale).name;
    for (std::size_t i = 1; i < region.size() && (op == "Mul" || op == "Div"); ++i)
      if (const Operation& operation = ancestor.operation(region[i]); reads_weight(ancestor, operation))
        scales.emplace(operation.node, scale);
  }
  return scales;
}

}  // namespace thence::transfer
