// What a small tensor holds. Larger ones are weights, whose data is never looked at.
#pragma once

#include "onnx/views.h"
#include "shapes/values.h"

namespace thence::shapes {

/// The numbers of a tensor of integers, or of whole floats, of at most two dimensions and a few elements, as
/// far as they stand in the model itself.
Content small_content(const onnx::Pieces& message, const onnx::TensorView& header);

Shape shape_of_tensor(const onnx::TensorView& header);

}  // namespace thence::shapes
