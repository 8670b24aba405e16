// Projections that read the same value are merged into one, whose result is split: each part of that is one
// of them, if its part of the weight is a weight of the ancestor.
#include <algorithm>

#include "transfer/net.h"

namespace thence::transfer {

// The part of a constant as a constant of its own; none when the ancestor has no such weight.
Root Net::part_of(Root whole, std::size_t part, std::size_t parts) {
  const Constant* const weight = constant(whole);
  if (weight == nullptr || !weight->may_be_weight() || weights_.contains(weight->content)) return none;
  const std::uint64_t columns = weight->elements / weight->rows;
  if (columns % parts != 0) return none;
  const Constant found = columns_of(*weight, part * (columns / parts), columns / parts);
  if (found.content == 0 || !weights_.contains(found.content)) return none;
  const Root root = fresh();
  constant_of_[root] = static_cast<std::uint32_t>(constants_.size());
  constants_.push_back(found);
  return root;
}

StepId Net::add_step(Step step, std::initializer_list<Root> inputs) {
  step.first_input = static_cast<std::uint32_t>(inputs_.size());
  step.input_count = static_cast<std::uint32_t>(inputs.size());
  inputs_.insert(inputs_.end(), inputs);
  makers_[step.output] = static_cast<StepId>(steps_.size());
  steps_.push_back(step);
  return makers_[step.output];
}

bool Net::see_apart(const onnx::Node& node, onnx::NodeId id, Operators& operators) {
  const auto outputs = node.outputs();
  constexpr std::size_t most = 8;  // projections that anybody merges
  if (weights_.empty() || node.op_type() != "Split" || outputs.size() < 2 || outputs.size() > most ||
      node.inputs().empty() || node.inputs()[0] == none ||
      std::find(outputs.begin(), outputs.end(), none) != outputs.end())
    return false;
  const std::uint32_t product = operators.number("MatMul"), sum = operators.number("Add");
  const auto made_by = [&](Root root, std::uint32_t op) {
    const bool fits =
        makers_[root] != none && steps_[makers_[root]].op == op && steps_[makers_[root]].input_count == 2;
    return fits ? makers_[root] : none;
  };
  Root from = roots_[node.inputs()[0]], bias = none;
  if (const StepId added = made_by(from, sum); added != none)
    for (const Root root : inputs(steps_[added])) (constant(root) != nullptr ? bias : from) = root;
  const StepId merged = made_by(from, product);
  if (merged == none) return false;
  const Root read = inputs(steps_[merged])[0], weight = inputs(steps_[merged])[1];
  std::vector<Root> weights, biases;
  for (std::size_t part = 0; part < outputs.size(); ++part) {
    weights.push_back(part_of(weight, part, outputs.size()));
    biases.push_back(bias == none ? none : part_of(bias, part, outputs.size()));
    if (weights.back() == none || (bias != none && biases.back() == none)) return false;
  }
  for (std::size_t part = 0; part < outputs.size(); ++part) {
    const Root made = bias == none ? outputs[part] : fresh();
    add_step({.op = product, .node = id, .output = made}, {read, weights[part]});
    if (bias != none)
      add_step({.op = sum, .node = id, .output = outputs[part], .commutes = true}, {made, biases[part]});
  }
  return true;
}

}  // namespace thence::transfer
