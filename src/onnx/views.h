// Views: the parts of a model that are decoded on demand: metadata, attributes, tensor headers and value
// infos. Reading the model has already validated their encoding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/data_type.h"
#include "wire/fields.h"

namespace thence::onnx {

/// The bytes of a message. A writer may split a message into several pieces, which protobuf merges.
using Pieces = std::vector<std::string_view>;

struct MetadataEntry {
  std::string_view key;
  std::string_view value;
};

/// The last field of a message with this number, as protobuf reads a repeated singular field. Empty if the
/// message has none.
template <class Field>
std::string_view last_text_field(std::string_view message, Field number) {
  std::string_view text;
  for (wire::Fields field(message); field.next();)
    if (field.tag() == wire::bytes_tag(number)) text = field.bytes();
  return text;
}

MetadataEntry read_metadata_entry(std::string_view message);

/// Calls `use` for each metadata_props entry of a message; `number` is the number of that field.
template <class Use>
void for_each_metadata(std::string_view message, std::uint32_t number, Use use) {
  for (wire::Fields field(message); field.next();)
    if (field.tag() == wire::bytes_tag(number)) use(read_metadata_entry(field.bytes()));
}

/// All metadata_props entries of a message in pieces; `number` is the number of that field.
std::vector<MetadataEntry> read_metadata(const Pieces& message, std::uint32_t number);

struct ExternalData {
  std::string_view location;
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> length;
  /// An invalid offset or length. It is read as a position after the end of any file.
  std::optional<MetadataEntry> invalid_entry;
};

/// The header of a tensor: everything except its data.
struct TensorView {
  std::string_view name;
  std::string_view doc_string;
  std::vector<std::int64_t> dims;
  DataType data_type = DataType::undefined;
  std::uint64_t raw_size = 0;            // bytes of raw_data in the model file
  std::optional<ExternalData> external;  // set if the data is in another file
  std::vector<MetadataEntry> metadata;

  /// Product of dims; empty if a dimension is negative or the product overflows.
  std::optional<std::uint64_t> elements() const;
  /// Size of the data, computed from dims and type; empty if unknown.
  std::optional<std::uint64_t> bytes() const;
};
TensorView read_tensor(const Pieces& message);

struct Dimension {
  std::optional<std::int64_t> value;
  std::string_view param;
};
struct ValueInfoView {
  std::string_view name;
  std::string_view doc_string;
  DataType elem_type = DataType::undefined;  // for tensors; undefined for other types
  bool is_tensor = false;
  bool has_shape = false;
  std::vector<Dimension> dims;
  std::vector<MetadataEntry> metadata;
};
ValueInfoView read_value_info(std::string_view message);

struct AttributeView {
  std::string_view name;
  std::string_view doc_string;
  std::string_view ref_attr_name;
  std::int32_t type = 0;
  float f = 0;
  std::int64_t i = 0;
  std::string_view s;
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string_view> strings;
  Pieces tensor;                          // field t, merged
  std::vector<std::string_view> tensors;  // one per entry
  Pieces graph;                           // field g, merged
  std::vector<std::string_view> graphs;   // one per entry
  bool has_tensor = false;
  bool has_graph = false;
};
AttributeView read_attribute(std::string_view message);

}  // namespace thence::onnx
