// Constants, and tensors computed from shapes.
#include <algorithm>

#include "shapes/rules.h"
#include "shapes/small_tensor.h"

namespace thence::shapes {
namespace {

using onnx::DataType;

void give_list(Call& call, std::size_t length) { call.give(0, {Size(static_cast<std::int64_t>(length))}); }

bool is_short(Size length) {
  return length.is_number() && length.value >= 0 && length.value <= static_cast<std::int64_t>(most_content);
}

}  // namespace

void constant(Call& call) {
  if (const auto value = call.attribute("value"); value && value->has_tensor) {
    const onnx::TensorView header = onnx::read_tensor(value->tensor);
    call.give(0, shape_of_tensor(header));
    call.give_type(0, header.data_type);
    return call.give_content(0, small_content(value->tensor, header));
  }
  if (const auto value = call.attribute("value_int")) {
    call.give(0, Shape::of_rank(0));
    call.give_type(0, DataType::int64);
    if (value->ref_attr_name.empty()) call.give_content(0, std::vector<Size>{value->i});
  } else if (const auto list = call.attribute("value_ints")) {
    if (!list->ref_attr_name.empty()) return call.give(0, Shape::of_rank(1));
    give_list(call, list->ints.size());
    call.give_type(0, DataType::int64);
    call.give_content(0, std::vector<Size>(list->ints.begin(), list->ints.end()));
  } else if (call.attribute("value_float")) {
    call.give(0, Shape::of_rank(0));
    call.give_type(0, DataType::float32);
  } else if (const auto floats = call.attribute("value_floats")) {
    give_list(call, floats->floats.size());
    call.give_type(0, DataType::float32);
  }
}

void constant_of_shape(Call& call) {
  const Content wanted = call.content(0);
  DataType type = DataType::float32;
  Size filling;
  if (const auto value = call.attribute("value"); value && value->has_tensor) {
    const onnx::TensorView header = onnx::read_tensor(value->tensor);
    type = header.data_type;
    if (const Content content = small_content(value->tensor, header); content && content->size() == 1)
      filling = content->front();
  } else {
    filling = 0;
  }
  call.give_type(0, type);
  if (!wanted) return;
  const Shape shape(*wanted);
  call.give(0, shape);
  if (shape.known() && shape.rank() == 0) call.give_content(0, std::vector<Size>{filling});
  if (shape.known() && shape.rank() == 1 && is_short(shape[0]))
    call.give_content(0, std::vector<Size>(static_cast<std::size_t>(shape[0].value), filling));
}

void range(Call& call) {
  const Size start = call.scalar(0), limit = call.scalar(1), step = call.scalar(2);
  Sizes& sizes = call.sizes;
  call.give(0, Shape::of_rank(1));
  if (!step.is_number() || step.value <= 0 || !start.known() || !limit.known()) return;
  const Size span = sizes.subtract(limit, start);
  if (span.is_number() && span.value <= 0) return call.give(0, {Size(0)});
  const Size length = sizes.floor_divide(sizes.add(span, step.value - 1), step);
  if (!span.is_number() && !sizes.never_negative(span)) return;
  call.give(0, {length});
  if (!is_short(length) || !start.is_number()) return;
  std::vector<Size> content;
  for (std::int64_t i = 0; i < length.value; ++i)
    content.push_back(sizes.add(start, sizes.multiply(i, step)));
  call.give_content(0, content);
}

void shape_of(Call& call) {
  const Shape shape = call.shape(0);
  call.give(0, Shape::of_rank(1));
  if (!shape.known()) return;
  const auto clamped = [&](std::int64_t at) {
    const auto rank = static_cast<std::int64_t>(shape.rank());
    if (at < 0) at = std::max(at, -rank) + rank;
    return static_cast<std::size_t>(std::min(at, rank));
  };
  const std::size_t start = clamped(call.integer("start", 0));
  const auto end = call.attribute("end");
  const std::size_t stop = end ? clamped(end->i) : shape.rank();
  std::vector<Size> content;
  for (std::size_t i = start; i < stop; ++i) content.push_back(shape[i]);
  give_list(call, content.size());
  call.give_content(0, content);
}

void size_of(Call& call) {
  call.give(0, Shape::of_rank(0));
  call.give_content(0, std::vector<Size>{call.elements(call.shape(0))});
}

void content_of_scalar(Call& call) {
  call.give_like(0, 0);
  for (std::size_t i = 1; i < call.outputs(); ++i) call.give(i, Shape::of_rank(0));
}

}  // namespace thence::shapes
