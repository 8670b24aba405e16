// The names by which a folded model is recognised.
#pragma once

#include <string_view>

#include "onnx/model.h"

namespace thence::functions {

/// The domain of the functions that `thence fold` writes.
inline constexpr std::string_view folded_domain = "pkg.thence";

/// The key of the model's metadata under which `thence fold` keeps what the flat model had besides the nodes
/// of the functions: names, order, annotations.
inline constexpr std::string_view record_key = "pkg.thence.folded";

/// Whether the model has functions that `thence fold` wrote.
bool is_folded(const onnx::Model& model);

}  // namespace thence::functions
