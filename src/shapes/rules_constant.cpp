// Constants, and tensors computed from shapes.
#include <algorithm>

#include "shapes/shape_rules.h"
#include "shapes/small_tensor.h"

namespace thence::shapes {
namespace {

using onnx::DataType;

void set_list_shape(InferenceContext& context, std::size_t length) {
  context.set_shape(0, {Size(static_cast<std::int64_t>(length))});
}

bool is_short(Size length) {
  return length.is_number() && length.value >= 0 &&
         length.value <= static_cast<std::int64_t>(max_content_elements);
}

}  // namespace

void constant(InferenceContext& context) {
  if (const auto value = context.attribute("value"); value && value->has_tensor) {
    const onnx::TensorView header = onnx::read_tensor(value->tensor);
    context.set_shape(0, shape_of_tensor(header));
    context.set_type(0, header.data_type);
    return context.set_content(0, small_content(value->tensor, header));
  }
  if (const auto value = context.attribute("value_int")) {
    context.set_shape(0, Shape::of_rank(0));
    context.set_type(0, DataType::int64);
    if (value->ref_attr_name.empty()) context.set_content(0, std::vector<Size>{value->i});
  } else if (const auto list = context.attribute("value_ints")) {
    if (!list->ref_attr_name.empty()) return context.set_shape(0, Shape::of_rank(1));
    set_list_shape(context, list->ints.size());
    context.set_type(0, DataType::int64);
    context.set_content(0, std::vector<Size>(list->ints.begin(), list->ints.end()));
  } else if (context.attribute("value_float")) {
    context.set_shape(0, Shape::of_rank(0));
    context.set_type(0, DataType::float32);
  } else if (const auto floats = context.attribute("value_floats")) {
    set_list_shape(context, floats->floats.size());
    context.set_type(0, DataType::float32);
  }
}

void constant_of_shape(InferenceContext& context) {
  const Content requested = context.content(0);
  DataType type = DataType::float32;
  Size fill_value;
  if (const auto value = context.attribute("value"); value && value->has_tensor) {
    const onnx::TensorView header = onnx::read_tensor(value->tensor);
    type = header.data_type;
    if (const Content content = small_content(value->tensor, header); content && content->size() == 1)
      fill_value = content->front();
  } else {
    fill_value = 0;
  }
  context.set_type(0, type);
  if (!requested) return;
  const Shape shape(*requested);
  context.set_shape(0, shape);
  if (shape.known() && shape.rank() == 0) context.set_content(0, std::vector<Size>{fill_value});
  if (shape.known() && shape.rank() == 1 && is_short(shape[0]))
    context.set_content(0, std::vector<Size>(static_cast<std::size_t>(shape[0].value), fill_value));
}

void range(InferenceContext& context) {
  const Size start = context.scalar(0), limit = context.scalar(1), step = context.scalar(2);
  Sizes& sizes = context.sizes;
  context.set_shape(0, Shape::of_rank(1));
  if (!step.is_number() || step.value <= 0 || !start.known() || !limit.known()) return;
  const Size span = sizes.subtract(limit, start);
  if (span.is_number() && span.value <= 0) return context.set_shape(0, {Size(0)});
  const Size length = sizes.floor_divide(sizes.add(span, step.value - 1), step);
  if (!span.is_number() && !sizes.is_nonnegative(span)) return;
  context.set_shape(0, {length});
  if (!is_short(length) || !start.is_number()) return;
  std::vector<Size> content;
  for (std::int64_t i = 0; i < length.value; ++i)
    content.push_back(sizes.add(start, sizes.multiply(i, step)));
  context.set_content(0, content);
}

void shape_of(InferenceContext& context) {
  const Shape shape = context.shape(0);
  context.set_shape(0, Shape::of_rank(1));
  if (!shape.known()) return;
  const auto clamped = [&](std::int64_t at) {
    const auto rank = static_cast<std::int64_t>(shape.rank());
    if (at < 0) at = std::max(at, -rank) + rank;
    return static_cast<std::size_t>(std::min(at, rank));
  };
  const std::size_t start = clamped(context.integer("start", 0));
  const auto end = context.attribute("end");
  const std::size_t stop = end ? clamped(end->i) : shape.rank();
  std::vector<Size> content;
  for (std::size_t i = start; i < stop; ++i) content.push_back(shape[i]);
  set_list_shape(context, content.size());
  context.set_content(0, content);
}

void size_of(InferenceContext& context) {
  context.set_shape(0, Shape::of_rank(0));
  context.set_content(0, std::vector<Size>{context.elements(context.shape(0))});
}

void dynamic_quantize(InferenceContext& context) {
  context.copy_shape(0, 0);
  for (std::size_t i = 1; i < context.output_count(); ++i) context.set_shape(i, Shape::of_rank(0));
}

}  // namespace thence::shapes
