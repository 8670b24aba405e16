// The field numbers of onnx.proto, one enum per message, and the message type of each field.
#pragma once

#include <cstdint>

#include "wire/survey.h"

namespace thence::onnx {

enum class ModelField : std::uint32_t {
  ir_version = 1,
  producer_name = 2,
  producer_version = 3,
  domain = 4,
  model_version = 5,
  doc_string = 6,
  graph = 7,
  opset_import = 8,
  metadata_props = 14,
  training_info = 20,
  functions = 25,
  configuration = 26,
};
enum class GraphField : std::uint32_t {
  node = 1,
  name = 2,
  initializer = 5,
  doc_string = 10,
  input = 11,
  output = 12,
  value_info = 13,
  quantization_annotation = 14,
  sparse_initializer = 15,
  metadata_props = 16,
};
enum class NodeField : std::uint32_t {
  input = 1,
  output = 2,
  name = 3,
  op_type = 4,
  attribute = 5,
  doc_string = 6,
  domain = 7,
  overload = 8,
  metadata_props = 9,
  device_configurations = 10,
};
enum class AttributeField : std::uint32_t {
  name = 1,
  f = 2,
  i = 3,
  s = 4,
  t = 5,
  g = 6,
  floats = 7,
  ints = 8,
  strings = 9,
  tensors = 10,
  graphs = 11,
  doc_string = 13,
  tp = 14,
  type_protos = 15,
  type = 20,
  ref_attr_name = 21,
  sparse_tensor = 22,
  sparse_tensors = 23,
};
enum class TensorField : std::uint32_t {
  dims = 1,
  data_type = 2,
  segment = 3,
  float_data = 4,
  int32_data = 5,
  string_data = 6,
  int64_data = 7,
  name = 8,
  raw_data = 9,
  double_data = 10,
  uint64_data = 11,
  doc_string = 12,
  external_data = 13,
  data_location = 14,
  metadata_props = 16,
};
enum class SparseTensorField : std::uint32_t { values = 1, indices = 2, dims = 3 };
enum class ValueInfoField : std::uint32_t { name = 1, type = 2, doc_string = 3, metadata_props = 4 };
enum class TypeField : std::uint32_t {
  tensor = 1,
  sequence = 4,
  map = 5,
  denotation = 6,
  opaque = 7,
  sparse_tensor = 8,
  optional = 9,
};
enum class TensorTypeField : std::uint32_t { elem_type = 1, shape = 2 };
enum class ShapeField : std::uint32_t { dim = 1 };
enum class DimensionField : std::uint32_t { value = 1, param = 2, denotation = 3 };
enum class OpsetField : std::uint32_t { domain = 1, version = 2 };
enum class EntryField : std::uint32_t { key = 1, value = 2 };
enum class FunctionField : std::uint32_t {
  name = 1,
  input = 4,
  output = 5,
  attribute = 6,
  node = 7,
  doc_string = 8,
  opset_import = 9,
  domain = 10,
  attribute_proto = 11,
  value_info = 12,
  overload = 13,
  metadata_props = 14,
};

/// The message types that the survey distinguishes. 0 means "no message".
enum class MessageKind : std::uint8_t {
  nothing,
  model,
  graph,
  node,
  attribute,
  tensor,
  segment,
  sparse_tensor,
  value_info,
  type,
  tensor_type,
  element_type,
  map_type,
  shape,
  dimension,
  opset,
  entry,
  function,
  training,
  annotation,
  opaque_type,
  configuration,
  node_configuration,
  sharding,
  device_group,
  sharded_dim,
  simple_sharded_dim,
  count,
};

const char* message_name(MessageKind kind);
const wire::Layout& layout();

}  // namespace thence::onnx
