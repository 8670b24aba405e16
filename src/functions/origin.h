// The origin of a node in a model whose functions were expanded.
#pragma once

#include <string_view>

#include "onnx/model.h"

namespace thence::functions {

/// The metadata of a node in an expanded function: the ids of the calls, outermost first, and of the node in
/// the model with functions: "12.40.7".
inline constexpr std::string_view origin_key = "pkg.thence.origin";

/// Empty for other nodes.
inline std::string_view origin_of(const onnx::Node& node) {
  for (const onnx::MetadataEntry& entry : node.metadata())
    if (entry.key == origin_key) return entry.value;
  return {};
}

}  // namespace thence::functions
