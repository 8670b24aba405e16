// Parts that are cut out of a value: rewriters make one Split of several Slices and Gathers.
#include "shapes/small_tensor.h"
#include "transfer/net.h"

namespace thence::transfer {
namespace {

std::vector<std::int64_t> integers_in(const onnx::Pieces& tensor) {
  std::vector<std::int64_t> numbers;
  if (const auto sizes = shapes::small_content(tensor, onnx::read_tensor(tensor)))
    for (const shapes::Size size : *sizes) numbers.push_back(size.is_number() ? size.value : -1);
  return numbers;
}

}  // namespace

// Of an initializer or a Constant; nothing when it is neither, or large.
std::vector<std::int64_t> Net::integers_of(onnx::ValueId value) const {
  const onnx::Producer producer = model_->producer(value);
  if (producer.kind == onnx::Producer::Kind::initializer) {
    const onnx::Initializer& held = model_->initializers()[producer.index];
    return held.sparse ? std::vector<std::int64_t>() : integers_in(onnx::Pieces{held.bytes});
  }
  std::vector<std::int64_t> numbers;
  if (producer.kind == onnx::Producer::Kind::node && model_->node(producer.index).op_type() == "Constant")
    model_->node(producer.index).each_attribute([&](const onnx::AttributeView& attribute) {
      if (attribute.has_tensor) numbers = integers_in(attribute.tensor);
      if (attribute.name == "value_ints") numbers = attribute.ints;
    });
  return numbers;
}

// Whether a Gather takes elements out of what is computed; of tables it looks them up.
bool Net::cuts_out(const onnx::Node& node) const {
  return node.op_type() == "Gather" && node.inputs().size() == 2 && node.inputs()[0] != none &&
         node.inputs()[1] != none && constant(roots_[node.inputs()[0]]) == nullptr;
}

// Of what cuts out parts: where each output begins, as far as that is known.
std::vector<std::int64_t> Net::starts_of(const onnx::Node& node) const {
  const auto inputs = node.inputs();
  if (node.op_type() == "Split") {
    std::vector<std::int64_t> sizes, starts{0};
    if (const auto attribute = node.attribute("split"))
      sizes = attribute->ints;
    else if (inputs.size() > 1 && inputs[1] != none)
      sizes = integers_of(inputs[1]);
    for (const std::int64_t size : sizes) {
      if (size < 0 || size > INT32_MAX || starts.size() == most_inputs) break;
      starts.push_back(starts.back() + size);
    }
    return starts;
  }
  if ((node.op_type() != "Slice" && !cuts_out(node)) || inputs.size() < 2 || inputs[1] == none) return {};
  const Constant* const start = constant(roots_[inputs[1]]);
  if (start == nullptr || !start->scalar || *start->scalar < 0 || *start->scalar > INT32_MAX) return {};
  return {static_cast<std::int64_t>(*start->scalar)};
}

}  // namespace thence::transfer
