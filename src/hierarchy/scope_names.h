// Parses scopes in names. The TorchScript exporter of PyTorch names a node "/encoder/layer.0/dense/MatMul_1":
// the chain of active module calls, then the operation. It names the values "<node name>_output_0".
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace thence::hierarchy {

/// How a file writes scopes: from the root with a leading slash (TorchScript), or without one
/// ("model/dense/MatMul", from converters of other frameworks).
enum class ScopeStyle { none, from_root, bare };

/// "/encoder/layer.0/dense" for the name above, "" if the root ran the node; empty if the name has no scope.
std::optional<std::string_view> scope_of_node_name(std::string_view name, ScopeStyle style);
std::optional<std::string_view> scope_of_value_name(std::string_view name, ScopeStyle style);

/// The part of a scope that a module contributes: its path from the last atom that is not a number.
std::string_view scope_component(std::string_view path);

/// The outer scope and the last component; "" and the whole text for an outermost scope.
struct ScopeParts {
  std::string_view outer;
  std::string_view component;
};
ScopeParts split_scope(std::string_view scope, ScopeStyle style);

}  // namespace thence::hierarchy
