// Tensor: the exact content of a constant.
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
  onnx::Pieces message;  // empty for numbers in an attribute
  std::vector<std::int64_t> dims;
  onnx::DataType type = onnx::DataType::undefined;
  std::uint64_t elements = 0;
  std::uint64_t content = 0;  // hash of type, dims and elements in order
  std::string_view raw;       // the elements, if they are stored as bytes
  bool is_read = false;       // false if its data is missing or damaged
  std::string numbers;        // the elements as text, if they are few; see number_text()

  bool is_float() const { return onnx::is_float(type); }
  /// At most a byte wide, as quantised numbers are.
  bool is_narrow() const {
    return type == onnx::DataType::uint8 || type == onnx::DataType::int8 ||
           type >= onnx::DataType::float8e4m3fn;
  }
  /// Sizes, axes, indices or flags, which other operators have as attributes.
  bool is_setting() const {
    using enum onnx::DataType;
    return (type == int32 || type == int64 || type == boolean || type == uint32 || type == uint64) &&
           elements <= max_setting_elements;
  }
};

/// The elements in the layout of raw_data, if they are stored otherwise.
std::string stored_elements(const Tensor& tensor);

/// "float32 8x64"
std::string text_of(const Tensor& tensor);

/// Numbers separated by commas. Long lists are cut, and end in their length and a hash.
std::string number_text(const std::vector<std::int64_t>& numbers);
std::string number_text(const std::vector<float>& numbers);

/// Data in other files, and hashes of what was read of it.
struct ExternalData {
  dataflow::DataFiles files;
  dataflow::ByRange<std::uint64_t> hashes = {};
};

/// Data in other files is read only with `external`.
Tensor tensor_of(const onnx::Pieces& message, ExternalData* external = nullptr);

/// The constants of a model, each read once.
class Constants {
 public:
  explicit Constants(const onnx::Model& model) : model_(model), external_{dataflow::DataFiles(model), {}} {}

  /// The content of an initializer, of a Constant node's output, or of an Identity of these; null for other
  /// values. The address is stable.
  const Tensor* of(onnx::ValueId value);
  /// Whether a node only writes such a value.
  bool is_constant_node(const onnx::Node& node) const;
  /// A tensor in an attribute of a node.
  Tensor tensor_of_attribute(const onnx::Pieces& message);
  /// The number of requested constants that cannot be read.
  std::size_t unread() const { return unread_ + unread_attributes_.size(); }

 private:
  onnx::ValueId origin(onnx::ValueId value) const;
  Tensor tensor_of_constant(const onnx::Node& constant);
  Tensor read(onnx::ValueId value);

  const onnx::Model& model_;
  ExternalData external_;
  std::size_t unread_ = 0;
  std::unordered_set<const char*> unread_attributes_;  // by address in the model
  std::unordered_map<onnx::ValueId, Tensor> tensors_;
};

}  // namespace thence::diff
