#include "hierarchy/scope_names.h"

#include "base/text.h"
#include "hierarchy/derived_names.h"
#include "hierarchy/limits.h"
#include "modules/module_tree.h"

namespace thence::hierarchy {
namespace {

using modules::ModuleTree;

std::optional<std::string_view> before_last_slash(std::string_view name, ScopeStyle style) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos || slash + 1 == name.size() || slash > max_scope_bytes)
    return std::nullopt;
  if ((name.front() == '/') != (style == ScopeStyle::from_root)) return std::nullopt;
  return name.substr(0, slash);
}

}  // namespace

std::optional<std::string_view> scope_of_node_name(std::string_view name, ScopeStyle style) {
  if (style == ScopeStyle::none || name.empty()) return std::nullopt;
  // Some converters join the names of the nodes that they fuse: "model/dense/MatMul;model/dense/BiasAdd".
  if (style == ScopeStyle::bare) name = name.substr(0, name.find(';'));
  if (name.empty()) return std::nullopt;
  return before_last_slash(DerivedNames::shipped().original_node(name), style);
}

std::optional<std::string_view> scope_of_value_name(std::string_view name, ScopeStyle style) {
  if (style != ScopeStyle::from_root || name.empty() || name.front() != '/') return std::nullopt;
  // Only a name derived from a node name contains a scope.
  const std::string_view value = DerivedNames::shipped().original_value(name);
  const std::size_t output = value.rfind("_output_");
  if (output == std::string_view::npos || !base::is_digits(value.substr(output + 8))) return std::nullopt;
  return before_last_slash(DerivedNames::shipped().original_node(value.substr(0, output)), style);
}

std::string_view scope_component(std::string_view path) {
  std::size_t end = path.size();
  while (end > 0) {
    const std::size_t dot = path.rfind('.', end - 1);
    const std::size_t start = dot == std::string_view::npos ? 0 : dot + 1;
    if (!base::is_digits(path.substr(start, end - start)) || start == 0) return path.substr(start);
    end = dot;
  }
  return path;
}

ScopeParts split_scope(std::string_view scope, ScopeStyle style) {
  const std::size_t slash = scope.rfind('/');
  if (slash == std::string_view::npos) return {std::string_view(), scope};
  if (style == ScopeStyle::from_root && slash == 0) return {scope.substr(0, 0), scope.substr(1)};
  return {scope.substr(0, slash), scope.substr(slash + 1)};
}

}  // namespace thence::hierarchy
