#include "hierarchy/builder_scopes.h"

#include <algorithm>
#include <string>

#include "hierarchy/builder_stacks.h"
#include "hierarchy/derived_names.h"
#include "hierarchy/metadata_dialects.h"
#include "hierarchy/scope_index.h"

namespace thence::hierarchy {
namespace {

// Calls `use` with each node whose name begins with a scope, until it returns true.
template <class Use>
bool any_scoped_node(const onnx::Model& model, Use use) {
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    if (const onnx::Node node = model.node(id); node.name().starts_with('/') && use(node)) return true;
  return false;
}

}  // namespace

bool has_builder_scopes(const onnx::Model& model) {
  const MetadataDialects& known = MetadataDialects::shipped();
  if (known.is_module_producer(model.producer_name()) || !has_foreign_scopes(model)) return false;
  for (onnx::ValueId value = 0; value < model.value_count(); ++value)
    if (known.is_module_value(model.value_name(value))) return false;
  return any_scoped_node(model, [&](const onnx::Node& node) {
    const auto outputs = node.outputs();
    return std::any_of(outputs.begin(), outputs.end(), [&](onnx::ValueId value) {
      return value != onnx::none && model.value_name(value).starts_with('/');
    });
  });
}

bool may_be_built(const onnx::Model& model) {
  return has_foreign_scopes(model) || !BuilderStacks(model).empty();
}

bool names_parameters_after_nodes(const onnx::Model& model) {
  std::string path;
  return any_scoped_node(model, [&](const onnx::Node& node) {
    path = DerivedNames::shipped().original_node(node.name()).substr(1);
    std::replace(path.begin(), path.end(), '/', '.');
    path += '.';
    const auto inputs = node.inputs();
    return std::any_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
      return value != onnx::none && model.producer(value).kind == onnx::Producer::Kind::initializer &&
             model.value_name(value).starts_with(path);
    });
  });
}

}  // namespace thence::hierarchy
