#include "transfer/folded.h"

#include <algorithm>

#include "dataflow/operator_traits.h"

namespace thence::transfer {
namespace {

using dataflow::has_trait;
using dataflow::Trait;

constexpr int most_folded = 2;  // in a row

bool is_read_by(const Net& net, Root root, std::uint32_t op) {
  const auto readers = net.readers(root);
  return std::any_of(readers.begin(), readers.end(), [&](StepId id) { return net.steps()[id].op == op; });
}

bool has_weight(const Net& net, const Step& step) {
  const auto inputs = net.inputs(step);
  return std::any_of(inputs.begin(), inputs.end(), [&](Root root) {
    return net.constant(root) != nullptr && net.constant(root)->may_be_weight();
  });
}

}  // namespace

Root past_activation(const Net& ancestor, const Net& descendant, const Step& step, Root root) {
  if (!descendant.is_cut(step.output) || ancestor.readers(root).size() != 1) return root;
  const Step& reader = ancestor.steps()[ancestor.readers(root).front()];
  const bool left_out = has_trait(ancestor.model().node(reader.node), Trait::clamps) &&
                        !is_read_by(descendant, step.output, reader.op);
  return left_out ? reader.output : root;
}

Root past_folded(const Net& ancestor, const Net& descendant, const Step& step, Root root) {
  for (int folded = 0; folded < most_folded && ancestor.readers(root).size() == 1; ++folded) {
    const Step& reader = ancestor.steps()[ancestor.readers(root).front()];
    const auto inputs = ancestor.inputs(reader);
    const bool by_constant = std::all_of(inputs.begin(), inputs.end(), [&](Root each) {
      return each == root || ancestor.constant(each) != nullptr;
    });
    if (!by_constant || !has_trait(ancestor.model().node(reader.node), Trait::scales) ||
        is_read_by(descendant, step.output, reader.op))
      break;
    root = reader.output;
  }
  return root;
}

std::unordered_map<onnx::NodeId, onnx::NodeId> folded_scales(
    const Net& ancestor, const std::vector<std::vector<StepId>>& regions) {
  std::unordered_map<onnx::NodeId, onnx::NodeId> scales;
  for (const std::vector<StepId>& region : regions) {
    if (region.empty()) continue;
    const onnx::NodeId scale = ancestor.steps()[region.front()].node;
    const std::string_view op = ancestor.model().node(scale).op_type();
    for (std::size_t i = 1; i < region.size() && (op == "Mul" || op == "Div"); ++i)
      if (has_weight(ancestor, ancestor.steps()[region[i]]))
        scales.emplace(ancestor.steps()[region[i]].node, scale);
  }
  return scales;
}

}  // namespace thence::transfer
