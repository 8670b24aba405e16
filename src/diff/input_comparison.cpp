#include "diff/input_comparison.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "diff/thresholds.h"

namespace thence::diff {
namespace {

using dataflow::Trait;

using onnx::NodeId;
using onnx::none;
using onnx::ValueId;

ValueId at(std::span<const ValueId> values, std::size_t index) {
  return index < values.size() ? values[index] : none;
}

}  // namespace

InputComparison::ValueSource InputComparison::value_source(Side& side, ValueId value,
                                                           const std::vector<std::uint32_t>& groups) {
  using SourceKind = ValueSource::Kind;
  if (value == none) return {};
  if (side.weight(value) != nullptr) return {.kind = SourceKind::constant};
  const onnx::Producer producer = side.model.producer(value);
  if (producer.kind != onnx::Producer::Kind::node) return {.kind = SourceKind::graph_input};
  const auto outputs = side.model.node(producer.index).outputs();
  return {
      .kind = SourceKind::node,
      .group = groups[producer.index],
      .output = static_cast<std::size_t>(std::find(outputs.begin(), outputs.end(), value) - outputs.begin())};
}

bool InputComparison::is_one_sided(const ValueSource& source) const {
  if (source.kind != ValueSource::Kind::node || source.group == no_group) return false;
  const Group& group = grouping_.groups[source.group];
  return group.a.empty() || group.b.empty();
}

bool InputComparison::are_different(ValueId a, ValueId b) const {
  using SourceKind = ValueSource::Kind;
  if (a != none && b != none && matching_.keys_a().code_of_input(a) == matching_.keys_b().code_of_input(b))
    return false;
  const ValueSource theirs = value_source(a_, a, grouping_.of_a), ours = value_source(b_, b, grouping_.of_b);
  if (is_one_sided(theirs) || is_one_sided(ours)) return false;  // reported with that node
  if (theirs.kind != ours.kind) return true;
  // Weights are compared elsewhere.
  if (ours.kind == SourceKind::nothing || ours.kind == SourceKind::constant) return false;
  if (ours.kind == SourceKind::graph_input || ours.group != theirs.group || ours.group == no_group)
    return true;
  const Group& group = grouping_.groups[ours.group];
  return group.a.size() == 1 && group.b.size() == 1 && ours.output != theirs.output;
}

bool InputComparison::have_different_content(ValueId a, ValueId b) const {
  const Tensor *const theirs = a_.weight(a), *const ours = b_.weight(b);
  return theirs != nullptr && ours != nullptr && theirs->is_read && ours->is_read &&
         theirs->content != ours->content;
}

bool InputComparison::is_setting(Side& side, NodeId node, std::size_t input) const {
  const ValueId value = at(side.model.node(node).inputs(), input);
  return value != none && diff::is_setting(side.model.node(node), input, side.constants.of(value));
}

std::string InputComparison::text(Side& side, ValueId value) const {
  if (value == none) return "none";
  const Tensor* const constant = side.constants.of(value);
  if (constant == nullptr) return base::printable(side.model.value_name(value));
  return base::format("constant {}", constant->numbers.empty() ? text_of(*constant) : constant->numbers);
}

std::vector<std::string> InputComparison::rewired_inputs(NodeId a, NodeId b) const {
  std::vector<std::string> found;
  const auto theirs = a_.model.node(a).inputs(), ours = b_.model.node(b).inputs();
  const std::size_t count = std::max(theirs.size(), ours.size());
  const auto report = [&](std::size_t index, ValueId was, ValueId is) {
    found.push_back(base::format("input {}: {} -> {}", index, text(a_, was), text(b_, is)));
  };
  if (!b_.graph.has_trait(b, Trait::commutative) || count > max_swapped_operands) {
    for (std::size_t i = 0; i < count; ++i)
      if (!is_setting(a_, a, i) && !is_setting(b_, b, i) && are_different(at(theirs, i), at(ours, i)))
        report(i, at(theirs, i), at(ours, i));
  } else {
    std::vector<ValueId> unmatched(theirs.begin(), theirs.end());
    std::vector<std::size_t> remaining;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const auto same = std::find_if(unmatched.begin(), unmatched.end(),
                                     [&](ValueId value) { return !are_different(value, ours[i]); });
      if (same == unmatched.end())
        remaining.push_back(i);
      else
        unmatched.erase(same);
    }
    for (std::size_t i = 0; i < std::max(remaining.size(), unmatched.size()); ++i)
      report(i < remaining.size() ? remaining[i] : i, i < unmatched.size() ? unmatched[i] : none,
             i < remaining.size() ? ours[remaining[i]] : none);
  }
  compare_bodies(a, b, found);
  return found;
}

void InputComparison::compare_bodies(NodeId a, NodeId b, std::vector<std::string>& found) const {
  const auto theirs = matching_.keys_a().bodies(a), ours = matching_.keys_b().bodies(b);
  if (theirs.size() != ours.size())
    found.push_back(base::format("{} bodies -> {}", theirs.size(), ours.size()));
  for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()); ++i) {
    const onnx::Graph &one = a_.model.graphs()[theirs[i]], &other = b_.model.graphs()[ours[i]];
    for (std::size_t index = 0; index < std::max(one.outputs.size(), other.outputs.size()); ++index)
      if (const ValueId was = at(one.outputs, index), is = at(other.outputs, index);
          are_different(was, is) || have_different_content(was, is))
        found.push_back(base::format("{} output {}: {} -> {}", base::printable(other.attribute), index,
                                     text(a_, was), text(b_, is)));
  }
}

}  // namespace thence::diff
