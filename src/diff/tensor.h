// What a constant holds, to the last bit: for telling whether two are the same.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dataflow/data_files.h"
#include "diff/thresholds.h"
#include "onnx/model.h"

namespace thence::diff {

struct Tensor {
  onnx::Pieces message;  // empty: no tensor, but numbers in an attribute
  std::vector<std::int64_t> dims;
  onnx::DataType type = onnx::DataType::undefined;
  std::uint64_t elements = 0;
  std::uint64_t content = 0;  // of type, dims and elements in order
  std::string_view raw;       // the elements, where they lie in a file as bytes
  bool read = false;          // false: its data lies in a file that is not to be had, or is damaged
  std::string numbers;        // the elements as text, of short ones; see number_text()

  bool is_float() const { return onnx::is_float(type); }
  /// Of a byte or less: what reals are quantised to.
  bool is_narrow() const {
    return type == onnx::DataType::uint8 || type == onnx::DataType::int8 ||
           type >= onnx::DataType::float8e4m3fn;
  }
  /// Sizes, axes, indices, flags: what other operators have as attributes.
  bool is_setting() const {
    using enum onnx::DataType;
    return (type == int32 || type == int64 || type == boolean || type == uint32 || type == uint64) &&
           elements <= max_setting_elements;
  }
};

/// "float32 8x64"
std::string text_of(const Tensor& tensor);

/// Texts of numbers, with commas between; of long lists the first ones, then a number that tells them apart.
std::string number_text(const std::vector<std::int64_t>& numbers);
std::string number_text(const std::vector<float>& numbers);

/// Without `files`, data that lies in another file is not read.
Tensor tensor_of(const onnx::Pieces& message, dataflow::DataFiles* files = nullptr);

/// The constants of a model, each read once.
class Constants {
 public:
  explicit Constants(const onnx::Model& model) : model_(model), files_(model) {}

  /// What a value holds that is an initializer, or made by a Constant node, or identical to such; null for
  /// others. Stays where it is.
  const Tensor* of(onnx::ValueId value);
  /// Whether a node makes but such a value.
  bool makes(const onnx::Node& node) const;
  /// A tensor in an attribute of a node.
  Tensor in_attribute(const onnx::Pieces& message);
  /// How many of those asked for cannot be read.
  std::size_t unread() const { return unread_ + unread_attributes_.size(); }

 private:
  onnx::ValueId origin(onnx::ValueId value) const;
  Tensor held_by(const onnx::Node& constant);
  Tensor read(onnx::ValueId value);

  const onnx::Model& model_;
  dataflow::DataFiles files_;
  std::size_t unread_ = 0;
  std::unordered_set<const char*> unread_attributes_;  // by where they lie in the model
  std::unordered_map<onnx::ValueId, Tensor> kept_;
};

}  // namespace thence::diff
