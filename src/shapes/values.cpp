#include "shapes/values.h"

#include <algorithm>

namespace thence::shapes {

Shape::Shape(std::span<const Size> sizes) {
  if (sizes.size() > max_rank) return;
  std::copy(sizes.begin(), sizes.end(), sizes_.begin());
  rank_ = static_cast<std::uint8_t>(sizes.size());
  known_ = true;
}

Shape Shape::of_rank(std::size_t rank) {
  Shape shape;
  shape.known_ = rank <= max_rank;
  shape.rank_ = static_cast<std::uint8_t>(shape.known_ ? rank : 0);
  return shape;
}

void Shape::push(Size size) {
  known_ = known_ && rank_ < max_rank;
  if (known_) sizes_[rank_++] = size;
}

std::optional<std::size_t> Shape::axis(std::int64_t axis) const {
  const auto rank = static_cast<std::int64_t>(rank_);
  if (!known_ || axis < -rank || axis >= rank) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

std::uint32_t Values::append(std::span<const Size> sizes) {
  const auto start = static_cast<std::uint32_t>(pool_.size());
  pool_.insert(pool_.end(), sizes.begin(), sizes.end());
  return start;
}

Shape Values::shape(onnx::ValueId value) const {
  const Value& one = values_[value];
  return one.rank == unknown_length ? Shape() : Shape(std::span(pool_).subspan(one.shape, one.rank));
}

Content Values::content(onnx::ValueId value) const {
  const Value& one = values_[value];
  if (one.length == unknown_length) return std::nullopt;
  return std::vector(pool_.begin() + one.content, pool_.begin() + one.content + one.length);
}

void Values::set_shape(onnx::ValueId value, const Shape& shape) {
  Value& one = values_[value];
  one.rank = shape.known() ? static_cast<std::uint8_t>(shape.rank()) : unknown_length;
  if (!shape.known()) return;
  one.shape = append(shape.sizes());
  // A malformed file can result in a negative size; rules need not check for it.
  for (Size& size : std::span(pool_).subspan(one.shape))
    if (size.is_number() && size.value < 0) size = Size();
}

void Values::share_shape(onnx::ValueId value, onnx::ValueId other) {
  values_[value].rank = values_[other].rank;
  values_[value].shape = values_[other].shape;
}

bool Values::same_shape(onnx::ValueId value, onnx::ValueId other) const {
  const Value &a = values_[value], &b = values_[other];
  if (a.rank == unknown_length || a.rank != b.rank) return false;
  if (a.shape == b.shape) return true;
  const auto begin = pool_.begin();
  return std::equal(begin + a.shape, begin + a.shape + a.rank, begin + b.shape);
}

void Values::set_content(onnx::ValueId value, const Content& content) {
  Value& one = values_[value];
  one.length = unknown_length;
  if (!content || content->size() > max_content_elements) return;
  one.length = static_cast<std::uint8_t>(content->size());
  one.content = append(*content);
}

}  // namespace thence::shapes
