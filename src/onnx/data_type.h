// DataType: the element types of tensors, with the numbers of TensorProto.DataType.
#pragma once

#include <cstdint>
#include <string>

namespace thence::onnx {

/// A file may contain any other number.
enum class DataType : std::int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26,
  float6e2m3 = 27,
  float6e3m2 = 28,
};

/// Returns "float32" and so on; "type 99" for a number that is not listed.
std::string data_type_name(DataType type);

/// Bits per element; 0 for strings and for numbers that are not listed.
unsigned bits_per_element(DataType type);
/// Bytes per element; also 0 if an element is not a whole number of bytes.
unsigned bytes_per_element(DataType type);

/// Floats of 16 bits and more. Smaller floats hold quantised numbers.
bool is_float(DataType type);
/// Integers of 8 bits and more.
bool is_integer(DataType type);

}  // namespace thence::onnx
