#include "shapes/small_tensor.h"

#include <cmath>
#include <cstring>

#include "onnx/layout.h"

namespace thence::shapes {
namespace {

using onnx::TensorField;
using wire::bytes_tag;

using onnx::DataType;

Size size_of_float(float value) {
  if (!std::isfinite(value) || std::fabs(value) > max_float_size || std::floor(value) != value) return {};
  return static_cast<std::int64_t>(value);
}

template <class Number>
void append_raw(std::string_view bytes, std::vector<Size>& content) {
  if (bytes.size() / sizeof(Number) > max_content_elements) return;
  for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number)) {
    Number value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    if constexpr (std::is_same_v<Number, float>)
      content.push_back(size_of_float(value));
    else
      content.push_back(static_cast<std::int64_t>(value));
  }
}

bool has_readable_type(const onnx::TensorView& header) {
  switch (header.data_type) {
    case DataType::float32:
    case DataType::int32:
    case DataType::int64:
    case DataType::boolean: return true;
    default: return false;
  }
}

void append_raw_data(std::string_view bytes, DataType type, std::vector<Size>& content) {
  switch (type) {
    case DataType::int64: return append_raw<std::int64_t>(bytes, content);
    case DataType::int32: return append_raw<std::int32_t>(bytes, content);
    case DataType::boolean: return append_raw<std::uint8_t>(bytes, content);
    case DataType::float32: return append_raw<float>(bytes, content);
    default: return;
  }
}

// Keeps one more than the limit, so that the count shows an excess.
void append_number(Size number, std::vector<Size>& content) {
  if (content.size() <= max_content_elements) content.push_back(number);
}

void append_field(wire::Fields& field, DataType type, std::vector<Size>& content) {
  if (field.tag() == bytes_tag(TensorField::raw_data)) {
    append_raw_data(field.bytes(), type, content);
  } else if (type != DataType::float32) {
    const TensorField list = type == DataType::int64 ? TensorField::int64_data : TensorField::int32_data;
    wire::for_each_varint(field, static_cast<std::uint32_t>(list), [&](std::uint64_t value) {
      append_number(static_cast<std::int64_t>(value), content);
    });
  } else if (field.tag() == bytes_tag(TensorField::float_data)) {
    append_raw<float>(field.bytes(), content);
  } else if (field.tag() ==
             wire::tag_of(static_cast<std::uint32_t>(TensorField::float_data), wire::WireType::fixed32)) {
    append_number(size_of_float(field.as_float()), content);
  }
}

}  // namespace

Content small_content(const onnx::Pieces& message, const onnx::TensorView& header) {
  const auto count = header.elements();
  if (!count || *count > max_content_elements || header.dims.size() > 2 || header.external)
    return std::nullopt;
  if (!has_readable_type(header)) return std::nullopt;
  std::vector<Size> content;
  for (const std::string_view piece : message)
    for (wire::Fields field(piece); field.next();) append_field(field, header.data_type, content);
  if (content.size() != *count) return std::nullopt;
  return content;
}

Shape shape_of_tensor(const onnx::TensorView& header) {
  if (header.dims.size() > Shape::max_rank) return {};
  Shape shape = Shape::of_rank(0);
  for (const std::int64_t dim : header.dims) shape.push(dim < 0 ? Size() : Size(dim));
  return shape;
}

}  // namespace thence::shapes
