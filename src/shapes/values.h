// Values: the known facts about each value of a model: its type, its shape and, for a small tensor of
// integers as used in shape computations, its content.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "onnx/model.h"
#include "shapes/size.h"
#include "shapes/thresholds.h"

namespace thence::shapes {

/// The dimensions of a tensor, or unknown rank.
class Shape {
 public:
  static constexpr std::size_t max_rank = 16;  // a tensor with more dimensions counts as unknown

  Shape() = default;
  Shape(std::initializer_list<Size> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  explicit Shape(std::span<const Size> sizes);
  static Shape of_rank(std::size_t rank);  // with unknown sizes

  bool known() const { return known_; }
  std::size_t rank() const { return rank_; }
  Size operator[](std::size_t i) const { return sizes_[i]; }
  Size& operator[](std::size_t i) { return sizes_[i]; }
  /// Counted from the end: 0 is the last dimension.
  Size last(std::size_t i = 0) const { return sizes_[rank_ - 1u - i]; }
  std::span<const Size> sizes() const { return {sizes_.data(), rank_}; }
  void push(Size size);  // start with of_rank(0)
  /// Normalises an axis of a model, where negative ones count from the end; empty if it is out of range.
  std::optional<std::size_t> axis(std::int64_t axis) const;

 private:
  std::array<Size, max_rank> sizes_;
  std::uint8_t rank_ = 0;
  bool known_ = false;
};

using Content = std::optional<std::vector<Size>>;

class Values {
 public:
  explicit Values(std::size_t count) : values_(count) {}

  Shape shape(onnx::ValueId value) const;
  Content content(onnx::ValueId value) const;
  onnx::DataType type(onnx::ValueId value) const { return values_[value].type; }
  void set_shape(onnx::ValueId value, const Shape& shape);
  /// Gives `value` the shape of `other` without a copy.
  void share_shape(onnx::ValueId value, onnx::ValueId other);
  bool same_shape(onnx::ValueId value, onnx::ValueId other) const;
  void set_content(onnx::ValueId value, const Content& content);
  void set_type(onnx::ValueId value, onnx::DataType type) { values_[value].type = type; }

 private:
  static constexpr std::uint8_t unknown_length = 255;
  struct Value {
    std::uint32_t shape = 0, content = 0;  // offsets in pool_
    onnx::DataType type = onnx::DataType::undefined;
    std::uint8_t rank = unknown_length, length = unknown_length;
  };
  std::uint32_t append(std::span<const Size> sizes);

  std::vector<Value> values_;
  std::vector<Size> pool_;
};

}  // namespace thence::shapes
