#include "dataflow/noops.h"

#include <algorithm>
#include <map>

namespace thence::dataflow {
namespace {

// Whether both shapes are known completely and are equal.
bool have_same_shape(const shapes::InferredShapes& inferred, onnx::ValueId one, onnx::ValueId other) {
  const shapes::Shape a = inferred.values.shape(one), b = inferred.values.shape(other);
  const auto sizes = a.sizes(), others = b.sizes();
  return a.known() && b.known() &&
         std::equal(sizes.begin(), sizes.end(), others.begin(), others.end(),
                    [](const shapes::Size& x, const shapes::Size& y) { return x.known() && x == y; });
}

// Whether an optional input of a node, or an attribute in older versions, holds nothing but `number`.
bool holds_only(const shapes::InferredShapes& inferred, const onnx::Node& node, std::size_t input,
                std::string_view attribute, std::int64_t number) {
  if (const auto old_attribute = node.attribute(attribute))
    return std::all_of(old_attribute->ints.begin(), old_attribute->ints.end(),
                       [&](std::int64_t n) { return n == number; });
  if (node.inputs().size() <= input || node.inputs()[input] == none) return true;
  const shapes::Content content = inferred.values.content(node.inputs()[input]);
  return content && std::all_of(content->begin(), content->end(),
                                [&](const shapes::Size& size) { return size.is(number); });
}

// The only input of a Concat that is not empty.
onnx::ValueId only_nonempty_input(const shapes::InferredShapes& inferred, const onnx::Node& concat) {
  onnx::ValueId found = none;
  for (const onnx::ValueId input : concat.inputs()) {
    const shapes::Shape shape = input == none ? shapes::Shape() : inferred.values.shape(input);
    const auto sizes = shape.sizes();
    if (!shape.known()) return none;
    if (std::any_of(sizes.begin(), sizes.end(), [](const shapes::Size& size) { return size.is(0); }))
      continue;
    if (found != none || !have_same_shape(inferred, concat.outputs()[0], input)) return none;
    found = input;
  }
  return found;
}

// The input that a node forwards unchanged; none if that cannot be proven.
onnx::ValueId forwarded_input(const shapes::InferredShapes& inferred, const onnx::Node& node) {
  if (node.op_type() == "Concat") return only_nonempty_input(inferred, node);
  const onnx::ValueId input = node.inputs()[0];
  if (!have_same_shape(inferred, node.outputs()[0], input)) return none;
  if (node.op_type() == "Slice" && !holds_only(inferred, node, 4, "steps", 1)) return none;  // reverses
  if (node.op_type() == "Pad" && !holds_only(inferred, node, 1, "pads", 0)) return none;     // shifts
  return input;
}

// The operations that may be no-ops, by operator.
std::map<std::string_view, std::vector<OperationId>> possible_noops(const ValueGraph& graph) {
  std::map<std::string_view, std::vector<OperationId>> found;
  for (OperationId id = 0; id < graph.operations().size(); ++id) {
    const Operation& operation = graph.operation(id);
    if (!graph.has_trait(operation.node, Trait::may_be_noop) || graph.is_shape_or_constant(operation.node))
      continue;
    const onnx::Node node = graph.model().node(operation.node);
    if (node.outputs().size() == 1 && node.outputs()[0] == operation.output)
      found[node.op_type()].push_back(id);
  }
  return found;
}

}  // namespace

bool is_noop_view(const ValueGraph& graph, onnx::NodeId view) {
  if (!graph.has_trait(view, Trait::noop_view)) return false;
  const onnx::Node node = graph.model().node(view);
  return !node.inputs().empty() && node.inputs()[0] != none && !node.outputs().empty() &&
         node.outputs()[0] != none && have_same_shape(graph.shapes(), node.inputs()[0], node.outputs()[0]);
}

void find_noops(ValueGraph& graph, const ValueGraph& other) {
  const auto remaining = possible_noops(other);
  for (const auto& [op, operations] : possible_noops(graph)) {
    const auto left = remaining.find(op);
    if (left != remaining.end() && left->second.size() >= operations.size()) continue;
    for (const OperationId id : operations) {
      const onnx::Node node = graph.model().node(graph.operation(id).node);
      if (node.inputs().empty() || node.inputs().size() > max_inputs || node.inputs()[0] == none) continue;
      const onnx::ValueId input = forwarded_input(graph.shapes(), node);
      if (input == none) continue;
      const OperationId producer = graph.producer(graph.canonical(input));
      if (producer == none || producer < id)  // no cycles
        graph.set_forwarded_input(id, graph.canonical(input));
    }
  }
}

}  // namespace thence::dataflow
