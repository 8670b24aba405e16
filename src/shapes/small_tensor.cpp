#include "shapes/small_tensor.h"

#include <cmath>
#include <cstring>

#include "onnx/layout.h"

namespace thence::shapes {
namespace {

using onnx::TensorField;
using wire::bytes_tag;

using onnx::DataType;

Size whole(float value) {
  if (!std::isfinite(value) || std::fabs(value) > 1e9f || std::floor(value) != value) return {};
  return static_cast<std::int64_t>(value);
}

template <class Number>
void take_raw(std::string_view bytes, std::vector<Size>& content) {
  if (bytes.size() / sizeof(Number) > Values::most_content) return;
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if constexpr (std::is_same_v<Number, float>)
      content.push_back(whole(value));
    else
      content.push_back(static_cast<std::int64_t>(value));
  }
}

}  // namespace

Content small_content(const onnx::Pieces& message, const onnx::TensorView& header) {
  const auto count = header.elements();
  const onnx::DataType type = header.data_type;
  if (!count || *count > Values::most_content || header.dims.size() > 2 || header.external)
    return std::nullopt;
  if (type != DataType::float32 && type != DataType::int32 && type != DataType::int64 &&
      type != DataType::boolean)
    return std::nullopt;
  std::vector<Size> content;
  const TensorField list = type == DataType::int64 ? TensorField::int64_data : TensorField::int32_data;
  for (const std::string_view piece : message)
    for (wire::Fields field(piece); field.next();) {
      if (field.tag() == bytes_tag(TensorField::raw_data)) {
        if (type == DataType::int64) take_raw<std::int64_t>(field.bytes(), content);
        if (type == DataType::int32) take_raw<std::int32_t>(field.bytes(), content);
        if (type == DataType::boolean) take_raw<std::uint8_t>(field.bytes(), content);
        if (type == DataType::float32) take_raw<float>(field.bytes(), content);
      } else if (type != DataType::float32) {
        wire::each_varint(field, static_cast<std::uint32_t>(list), [&](std::uint64_t value) {
          if (content.size() <= Values::most_content) content.push_back(static_cast<std::int64_t>(value));
        });
      } else if (field.tag() == bytes_tag(TensorField::float_data)) {
        take_raw<float>(field.bytes(), content);
      } else if (field.tag() == wire::tag_of(4, wire::Type::fixed32)) {
        if (content.size() <= Values::most_content) content.push_back(whole(field.as_float()));
      }
    }
  if (content.size() != *count) return std::nullopt;
  return content;
}

Shape shape_of_tensor(const onnx::TensorView& header) {
  if (header.dims.size() > Shape::most) return {};
  Shape shape = Shape::of_rank(0);
  for (const std::int64_t dim : header.dims) shape.push(dim < 0 ? Size() : Size(dim));
  return shape;
}

}  // namespace thence::shapes
