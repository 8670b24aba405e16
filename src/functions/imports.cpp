#include "functions/imports.h"

#include "onnx/layout.h"
#include "wire/fields.h"

namespace thence::functions {

using onnx::Graph;

Imports::Imports(const onnx::Model& model, const std::function<bool(const Graph&)>& is_chosen) {
  for (const onnx::Opset& opset : model.opsets())
    imported_.try_emplace(plain_domain(opset.domain), opset.version);
  for (const Graph& graph : model.graphs())
    if (graph.kind == Graph::Kind::function) function_domains_.insert(graph.domain);
  for (const Graph& graph : model.graphs()) {
    if (graph.kind != Graph::Kind::function || !is_chosen(graph)) continue;
    if (add(graph))
      expandable_.insert(graph.bytes.front().data());
    else
      conflicts_.emplace_back(graph.name);
  }
}

// The version of a domain that only has functions of the model is without meaning.
bool Imports::add(const Graph& function) {
  std::map<std::string_view, std::int64_t> own;
  for (wire::Fields field(function.bytes.front()); field.next();) {
    if (field.tag() != wire::bytes_tag(onnx::FunctionField::opset_import)) continue;
    const std::string_view domain =
        plain_domain(onnx::last_text_field(field.bytes(), onnx::OpsetField::domain));
    std::int64_t version = 0;
    for (wire::Fields inner(field.bytes()); inner.next();)
      if (inner.tag() == wire::varint_tag(onnx::OpsetField::version))
        version = static_cast<std::int64_t>(inner.varint());
    const auto known = imported_.find(domain);
    if (known == imported_.end())
      own.emplace(domain, version);
    else if (known->second != version && !function_domains_.contains(domain))
      return false;
  }
  imported_.insert(own.begin(), own.end());
  missing_.insert(own.begin(), own.end());
  return true;
}

}  // namespace thence::functions
