// Values: what is known of each value of a model: its type, its shape and, where it is a small tensor of
// integers such as shapes are made of, its content.
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

/// The dimensions of a tensor, or that not even their number is known.
class Shape {
 public:
  static constexpr std::size_t most = 16;  // a tensor of more dimensions counts as unknown

  Shape() = default;
  Shape(std::initializer_list<Size> sizes) : Shape(std::span(sizes.begin(), sizes.size())) {}
  explicit Shape(std::span<const Size> sizes);
  static Shape of_rank(std::size_t rank);  // all of them unknown

  bool known() const { return known_; }
  std::size_t rank() const { return rank_; }
  Size operator[](std::size_t i) const { return sizes_[i]; }
  Size& operator[](std::size_t i) { return sizes_[i]; }
  /// Counted from the end: 0 is the last.
  Size last(std::size_t i = 0) const { return sizes_[rank_ - 1u - i]; }
  std::span<const Size> sizes() const { return {sizes_.data(), rank_}; }
  void push(Size size);  // begin with of_rank(0)
  /// An axis as a model gives it, negative ones from the end; empty when there is none such.
  std::optional<std::size_t> axis(std::int64_t axis) const;

 private:
  std::array<Size, most> sizes_;
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
  /// The same shape, without a copy.
  void share_shape(onnx::ValueId value, onnx::ValueId other);
  bool same_shape(onnx::ValueId value, onnx::ValueId other) const;
  void set_content(onnx::ValueId value, const Content& content);
  void set_type(onnx::ValueId value, onnx::DataType type) { values_[value].type = type; }

 private:
  static constexpr std::uint8_t nothing = 255;
  struct Value {
    std::uint32_t shape = 0, content = 0;  // where they begin in pool_
    onnx::DataType type = onnx::DataType::undefined;
    std::uint8_t rank = nothing, length = nothing;
  };
  std::uint32_t keep(std::span<const Size> sizes);

  std::vector<Value> values_;
  std::vector<Size> pool_;
};

}  // namespace thence::shapes
