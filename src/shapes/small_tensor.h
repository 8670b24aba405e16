// The content of small tensors. Larger ones are weights, whose data is never read.
#pragma once

#include "onnx/views.h"
#include "shapes/values.h"

namespace thence::shapes {

/// The numbers of a tensor of integers, or of floats with integer values, that has at most two dimensions and
/// few elements and is stored in the model file.
Content small_content(const onnx::Pieces& message, const onnx::TensorView& header);

Shape shape_of_tensor(const onnx::TensorView& header);

}  // namespace thence::shapes
