#include "dataflow/slice_starts.h"

#include "shapes/small_tensor.h"

namespace thence::dataflow {
namespace {

std::vector<std::int64_t> integers_in(const onnx::Pieces& tensor) {
  std::vector<std::int64_t> numbers;
  if (const auto sizes = shapes::small_content(tensor, onnx::read_tensor(tensor)))
    for (const shapes::Size size : *sizes) numbers.push_back(size.is_number() ? size.value : -1);
  return numbers;
}

// The elements of a small initializer or Constant; empty for other values.
std::vector<std::int64_t> integers_of(const onnx::Model& model, onnx::ValueId value) {
  const onnx::Producer producer = model.producer(value);
  if (producer.kind == onnx::Producer::Kind::initializer) {
    const onnx::Initializer& initializer = model.initializers()[producer.index];
    return initializer.sparse ? std::vector<std::int64_t>() : integers_in(onnx::Pieces{initializer.bytes});
  }
  std::vector<std::int64_t> numbers;
  if (producer.kind == onnx::Producer::Kind::node && model.node(producer.index).op_type() == "Constant")
    model.node(producer.index).for_each_attribute([&](const onnx::AttributeView& attribute) {
      if (attribute.has_tensor) numbers = integers_in(attribute.tensor);
      if (attribute.name == "value_ints") numbers = attribute.ints;
    });
  return numbers;
}

std::vector<std::int64_t> split_starts(const onnx::Model& model, const onnx::Node& split) {
  std::vector<std::int64_t> starts{0};
  for (const std::int64_t size : split_sizes(model, split)) {
    if (size < 0 || size > INT32_MAX || starts.size() == max_inputs) break;
    starts.push_back(starts.back() + size);
  }
  return starts;
}

}  // namespace

bool is_slicing_gather(const ValueGraph& graph, const onnx::Node& node) {
  return graph.op(node.id()).name == "Gather" && node.inputs().size() == 2 && node.inputs()[0] != none &&
         node.inputs()[1] != none && graph.constant(graph.canonical(node.inputs()[0])) == nullptr;
}

std::vector<std::int64_t> split_sizes(const onnx::Model& model, const onnx::Node& split) {
  if (const auto attribute = split.attribute("split")) return attribute->ints;
  const auto inputs = split.inputs();
  return inputs.size() > 1 && inputs[1] != none ? integers_of(model, inputs[1]) : std::vector<std::int64_t>();
}

std::vector<std::int64_t> slice_starts(const ValueGraph& graph, const onnx::Node& node) {
  const std::string_view op = graph.op(node.id()).name;
  if (op == "Split") return split_starts(graph.model(), node);
  const auto inputs = node.inputs();
  if ((op != "Slice" && !is_slicing_gather(graph, node)) || inputs.size() < 2 || inputs[1] == none) return {};
  const Constant* const start = graph.constant(graph.canonical(inputs[1]));
  if (start == nullptr || !start->scalar || *start->scalar < 0 || *start->scalar > INT32_MAX) return {};
  return {static_cast<std::int64_t>(*start->scalar)};
}

}  // namespace thence::dataflow
