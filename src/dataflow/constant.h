// A constant, as far as it can be recognised after a rewrite.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dataflow/sampled_fingerprint.h"
#include "onnx/views.h"

namespace thence::dataflow {

struct Constant {
  /// Floats: a hash of the values rounded to half precision that does not depend on their order, so that it
  /// survives transposes, blocked layouts and casts. Integers: a hash of the values in order, whatever their
  /// width. 0 if the data cannot be read.
  std::uint64_t fingerprint = 0;
  std::uint64_t elements = 0;
  bool is_float = false;
  std::optional<double> scalar;  // the value of a single element
  bool is_changed = false;       // a changed form of the reference model's weight with this fingerprint
  bool is_rescaled = false;      // each row or each column has its own factor
  double factor = 1;             // by which that weight was multiplied
  /// The elements as they are stored, for tensors that may be weights.
  std::string_view data;
  onnx::DataType type = onnx::DataType::undefined;
  std::uint64_t rows = 0, stride = 0;  // `stride` in elements from one row to the next
  std::uint64_t second_axis = 0;       // the size of the second axis, of those that count as columns

  /// Whether it may be a weight, quantised ones included.
  bool may_be_weight() const { return rows > 0; }
  /// Whether all elements are equal: zeros and ones occur in unrelated models.
  bool is_uniform() const;
  std::uint64_t columns() const { return rows == 0 ? 0 : elements / rows; }
  /// Whether single elements can be read, and the one at an index into `data`.
  bool is_readable() const;
  double element(std::uint64_t index) const;
  /// The same constant with another fingerprint: one of several results of the same expression.
  Constant salted(std::uint64_t salt) const;
};

/// The constant of a tensor message. External data is read if `files` has it; then they outlive the constant.
/// With `samples`, large weights may get a sampled fingerprint. `external` keeps what was read of other
/// files.
Constant constant_of(const onnx::Pieces& tensor, DataFiles* files = nullptr,
                     const SampledFingerprint* samples = nullptr, ByRange<Constant>* external = nullptr);

/// The same without a fingerprint: none of the data is read. Small ones are read, too: scales of blocks.
Constant unread_constant_of(const onnx::Pieces& tensor, DataFiles* files);

/// The constant of elements as they are stored.
Constant constant_of(onnx::DataType type, std::string_view elements);

/// Some columns of a weight as a separate tensor. Only floats have a fingerprint.
Constant columns_of(const Constant& weight, std::uint64_t first, std::uint64_t count);

/// The constant of numbers in an attribute of a node.
Constant constant_of(const std::vector<std::int64_t>& values);
Constant constant_of(const std::vector<float>& values);

}  // namespace thence::dataflow
