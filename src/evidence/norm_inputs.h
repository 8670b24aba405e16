// The inputs of norms: a fused norm is that of its scale; its other weights are those of operations before it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "onnx/model.h"

namespace thence::evidence {

inline bool is_norm(const onnx::Node& node) { return node.op_type().ends_with("Normalization"); }

/// The input that is the scale of a norm; 0 for other nodes.
inline std::size_t first_weight(const onnx::Node& node) {
  if (!is_norm(node)) return 0;
  const std::size_t scale = node.op_type().starts_with("Skip") ? 2 : 1;
  return scale < node.inputs().size() ? scale : 0;
}

}  // namespace thence::evidence
