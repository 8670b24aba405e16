// Projections that read the same value are merged into one, whose result is split: each part of that is one
// of them, if its part of the weight is a weight of the ancestor.
#include <algorithm>

#include "transfer/net.h"

namespace thence::transfer {

// The part of a constant as a constant of its own; none when the ancestor has no such weight.
Root Net::part_of(Root whole, std::uint64_t first, std::uint64_t count) {
  const Constant* const weight = constant(whole);
  if (weight == nullptr || !weight->may_be_weight()) return none;
  Constant part = columns_of(*weight, first, count);
  if (part.content == 0 || !ancestor_->has(part.content)) part.content = ancestor_->of(part).content;
  if (part.content == 0) return none;
  const Root root = fresh();
  add_constant(root, part);
  return root;
}

// How many columns each output gets; nothing when that is not known.
std::vector<std::uint64_t> Net::parts_of(const onnx::Node& split, std::uint64_t whole) const {
  const std::size_t count = split.outputs().size();
  std::vector<std::int64_t> sizes;
  if (const auto attribute = split.attribute("split"))
    sizes = attribute->ints;
  else if (split.inputs().size() > 1 && split.inputs()[1] != none)
    sizes = integers_of(split.inputs()[1]);
  else if (whole % count == 0)
    sizes.assign(count, static_cast<std::int64_t>(whole / count));
  std::vector<std::uint64_t> parts;
  std::uint64_t left = whole;
  for (const std::int64_t size : sizes) {
    if (size <= 0 || static_cast<std::uint64_t>(size) > left) return {};
    parts.push_back(static_cast<std::uint64_t>(size));
    left -= parts.back();
  }
  return parts.size() == count && left == 0 ? parts : std::vector<std::uint64_t>();
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
  if (ancestor_ == nullptr || node.op_type() != "Split" || outputs.size() < 2 || outputs.size() > most ||
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
  const Constant* const whole = constant(weight);
  if (whole == nullptr || ancestor_->has(whole->content)) return false;
  std::vector<Root> weights, biases;
  std::uint64_t first = 0;
  for (const std::uint64_t count : parts_of(node, whole->columns())) {
    weights.push_back(part_of(weight, first, count));
    biases.push_back(bias == none ? none : part_of(bias, first, count));
    if (weights.back() == none || (bias != none && biases.back() == none)) return false;
    first += count;
  }
  if (weights.empty()) return false;
  for (std::size_t part = 0; part < outputs.size(); ++part) {
    const Root made = bias == none ? outputs[part] : fresh();
    add_step({.op = product, .node = id, .output = made}, {read, weights[part]});
    if (bias != none)
      add_step({.op = sum, .node = id, .output = outputs[part], .commutes = true}, {made, biases[part]});
  }
  return true;
}

}  // namespace thence::transfer
