// Views: the parts of a model that are decoded when asked for: metadata, attributes, tensors' headers,
// value infos. All were proven to decode when the model was read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/data_type.h"
#include "wire/fields.h"

namespace thence::onnx {

/// The bytes of a message, in one piece or, where a writer split it, in several (protobuf merges them).
using Pieces = std::vector<std::string_view>;

struct MetadataEntry {
  std::string_view key;
  std::string_view value;
};

MetadataEntry read_metadata_entry(std::string_view message);

/// Calls `use` with each metadata_props entry of a message that holds them in field `number`.
template <class Use>
void each_metadata(std::string_view message, std::uint32_t number, Use use) {
  for (wire::Fields field(message); field.next();)
    if (field.tag() == wire::bytes_tag(number)) use(read_metadata_entry(field.bytes()));
}

/// All metadata_props of a message whose pieces hold them in field `number`.
std::vector<MetadataEntry> read_metadata(const Pieces& message, std::uint32_t number);

struct ExternalData {
  std::string_view location;
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> length;
  std::optional<MetadataEntry> not_a_number;  // an offset or a length; it points behind the end of any file
};

/// A tensor's header: everything but its data.
struct TensorView {
  std::string_view name;
  std::string_view doc_string;
  std::vector<std::int64_t> dims;
  DataType data_type = DataType::undefined;
  std::uint64_t raw_size = 0;            // bytes of raw_data in the file
  std::optional<ExternalData> external;  // set when the data lies in another file
  std::vector<MetadataEntry> metadata;

  /// Product of dims; empty when a dimension is negative or the product does not fit.
  std::optional<std::uint64_t> elements() const;
  /// What the data takes, from dims and type; empty when unknown.
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
  DataType elem_type = DataType::undefined;  // of a tensor; undefined for other types
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
  Pieces tensor;                          // t, merged
  std::vector<std::string_view> tensors;  // one each
  Pieces graph;                           // g, merged
  std::vector<std::string_view> graphs;   // one each
  bool has_tensor = false;
  bool has_graph = false;
};
AttributeView read_attribute(std::string_view message);

}  // namespace thence::onnx
