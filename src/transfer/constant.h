// A constant as far as it can be recognised after a rewrite.
#pragma once

#include <cstdint>
#include <optional>

#include "onnx/views.h"

namespace thence::transfer {

struct Constant {
  /// Of floats: their values as halves, in any order, so that it survives transposes, blocked layouts and
  /// casts. Of integers: their values in order, whatever their width. 0: the data cannot be read.
  std::uint64_t content = 0;
  std::uint64_t elements = 0;
  bool is_float = false;
  std::optional<double> scalar;  // the one element
};

/// Of a tensor message; data that lies in another file is not read.
Constant constant_of(const onnx::Pieces& tensor);

/// Of numbers that stand in a node's attribute.
Constant constant_of(const std::vector<std::int64_t>& values);
Constant constant_of(const std::vector<float>& values);

}  // namespace thence::transfer
