// Scopes in names: PyTorch's TorchScript exporter calls a node "/encoder/layer.0/dense/MatMul_1": the chain
// of modules being called, then the operation. Its values are "<node name>_output_0".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace thence::hierarchy {

/// How a file writes scopes: from the root with a leading slash (TorchScript), or without one
/// ("model/dense/MatMul", as other frameworks' converters do).
enum class ScopeStyle { none, from_root, bare };

/// "/encoder/layer.0" of the name above, "" when the root itself ran it; empty when the name has no scope.
std::optional<std::string_view> scope_of_node_name(std::string_view name, ScopeStyle style);
std::optional<std::string_view> scope_of_value_name(std::string_view name, ScopeStyle style);

/// A module's part of a scope: its path cut to the last atom that is not a number, and what follows it.
std::string_view scope_component(std::string_view path);

/// The scope around, and the last component; "" and the whole for the outermost.
struct ScopeParts {
  std::string_view outer;
  std::string_view component;
};
ScopeParts split_scope(std::string_view scope, ScopeStyle style);

}  // namespace thence::hierarchy
