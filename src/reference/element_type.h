// The types of parameters whose elements are compared.
#pragma once

#include <string_view>

#include "onnx/data_type.h"

namespace thence::reference {

/// By PyTorch's name; undefined for others.
inline onnx::DataType element_type(std::string_view dtype) {
  for (const onnx::DataType type :
       {onnx::DataType::float32, onnx::DataType::float16, onnx::DataType::bfloat16, onnx::DataType::float64,
        onnx::DataType::int8, onnx::DataType::uint8})
    if (dtype == onnx::data_type_name(type)) return type;
  return onnx::DataType::undefined;
}

}  // namespace thence::reference
