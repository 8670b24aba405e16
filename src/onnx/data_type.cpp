#include "onnx/data_type.h"

#include <array>

#include "base/format.h"

namespace thence::onnx {
namespace {

struct DataTypeRow {
  const char* name;
  unsigned bits;
};
constexpr std::array<DataTypeRow, 29> data_types{{
    {"undefined", 0},      {"float32", 32},  {"uint8", 8},        {"int8", 8},           {"uint16", 16},
    {"int16", 16},         {"int32", 32},    {"int64", 64},       {"string", 0},         {"bool", 8},
    {"float16", 16},       {"float64", 64},  {"uint32", 32},      {"uint64", 64},        {"complex64", 64},
    {"complex128", 128},   {"bfloat16", 16}, {"float8e4m3fn", 8}, {"float8e4m3fnuz", 8}, {"float8e5m2", 8},
    {"float8e5m2fnuz", 8}, {"uint4", 4},     {"int4", 4},         {"float4e2m1", 4},     {"float8e8m0", 8},
    {"uint2", 2},          {"int2", 2},      {"float6e2m3", 6},   {"float6e3m2", 6},
}};

const DataTypeRow* row_of(DataType type) {
  const auto number = static_cast<std::size_t>(type);  // a negative number becomes large
  return number < data_types.size() ? &data_types[number] : nullptr;
}

}  // namespace

std::string data_type_name(DataType type) {
  const DataTypeRow* const row = row_of(type);
  return row != nullptr ? row->name : base::format("type {}", static_cast<std::int32_t>(type));
}

unsigned bits_per_element(DataType type) {
  const DataTypeRow* const row = row_of(type);
  return row != nullptr ? row->bits : 0;
}

unsigned bytes_per_element(DataType type) {
  return bits_per_element(type) % 8 == 0 ? bits_per_element(type) / 8 : 0;
}

bool is_float(DataType type) {
  return type == DataType::float32 || type == DataType::float16 || type == DataType::float64 ||
         type == DataType::bfloat16;
}

bool is_integer(DataType type) {
  switch (type) {
    case DataType::uint8:
    case DataType::int8:
    case DataType::uint16:
    case DataType::int16:
    case DataType::int32:
    case DataType::int64:
    case DataType::uint32:
    case DataType::uint64: return true;
    default: return false;
  }
}

}  // namespace thence::onnx
