// The initializer behind a value, through nodes that only change its form.
#pragma once

#include "onnx/model.h"

namespace thence::hierarchy {

/// Through a transpose, a cast, a dequantisation and their like; none if there is none.
std::uint32_t initializer_behind(const onnx::Model& model, onnx::ValueId value);

/// Whether a node only changes the form of an initializer for the node after it.
bool prepares_initializer(const onnx::Model& model, const onnx::Node& node);

}  // namespace thence::hierarchy
