// A constant as far as it can be recognised after a rewrite.
#pragma once

#include <cstdint>
#include <optional>

#include "onnx/views.h"
#include "transfer/glance.h"

namespace thence::transfer {

struct Constant {
  /// Of floats: their values as halves, in any order, so that it survives transposes, blocked layouts and
  /// casts. Of integers: their values in order, whatever their width. 0: the data cannot be read.
  std::uint64_t content = 0;
  std::uint64_t elements = 0;
  bool is_float = false;
  std::optional<double> scalar;  // the one element
  bool changed = false;          // since the ancestor, whose weight it is like
  bool rescaled = false;         // since then, row by row or column by column
  double factor = 1;             // by which the weight of that content was multiplied, as far as that is seen
  /// The elements as they lie in the file, of tensors that may be weights: rows, and how far one is from the
  /// next.
  std::string_view data;
  onnx::DataType type = onnx::DataType::undefined;
  std::uint64_t rows = 0, stride = 0;

  /// Whether it may be a weight, also one that was quantised.
  bool may_be_weight() const { return rows > 0; }
  std::uint64_t columns() const { return rows == 0 ? 0 : elements / rows; }
  /// Whether its elements can be looked at one by one, and then the one at a place in `data`.
  bool is_readable() const;
  double element(std::uint64_t place) const;
  /// The same, but for where it was made: one of several that are computed alike.
  Constant told_apart(std::uint64_t by) const;
};

/// Of a tensor message; data that lies in another file is read if it is among `files`, which then outlive it.
/// Where a glance is enough, not all of it is.
Constant constant_of(const onnx::Pieces& tensor, DataFiles* files = nullptr, const Glance* glance = nullptr);

/// Of elements as they lie in a file, wherever that is.
Constant constant_of(onnx::DataType type, std::string_view elements);

/// Of some columns of a weight, as if they were a tensor of their own. Only floats have a content then.
Constant columns_of(const Constant& weight, std::uint64_t first, std::uint64_t count);

/// Of numbers that stand in a node's attribute.
Constant constant_of(const std::vector<std::int64_t>& values);
Constant constant_of(const std::vector<float>& values);

}  // namespace thence::transfer
