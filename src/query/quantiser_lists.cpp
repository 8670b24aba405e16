#include "query/quantiser_lists.h"

#include <unordered_set>

#include "base/utf8.h"
#include "query/tool_list_parts.h"

namespace thence::query {
namespace {

using onnx::NodeId;

// A regular expression of Python that matches exactly this text.
std::string escape_regex(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\.^$*+?{}[]|()").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void write_fp32(base::JsonWriter& json) {
  json.begin_object();
  json.key<"dtype">();
  json.space();
  json.begin_array();
  json.value("fp32");
  json.end_array();
  json.end_object();
}

}  // namespace

Result<ToolList> op_name_dict(const onnx::Model& model, std::span<const NodeId> nodes,
                              const ToolListOptions&) {
  ToolList list;
  const Names names = names_of(model, nodes, list);
  if (names.empty()) return no_names_error();
  base::JsonWriter json(list.text);
  json.begin_object();
  for (const std::string_view name : names) {
    json.new_line(" ");
    json.key(escape_regex(name));
    json.space();
    json.begin_object();
    json.key<"activation">();
    json.space();
    write_fp32(json);
    json.space();
    json.key<"weight">();
    json.space();
    write_fp32(json);
    json.end_object();
  }
  json.end_object_on_new_line();
  list.text += '\n';
  return list;
}

Result<ToolList> ignored_scope(const onnx::Model& model, std::span<const NodeId> nodes,
                               const ToolListOptions&) {
  ToolList list;
  const Names names = names_of(model, nodes, list);
  if (names.empty()) return no_names_error();
  base::JsonWriter json(list.text);
  json.begin_object();
  json.key<"names">();
  json.space();
  write_names(names, json);
  json.space();
  json.key<"validate">();
  json.space();
  json.value(false);
  json.end_object();
  list.text += '\n';
  return list;
}

Result<ToolList> aimet_quantisers(const onnx::Model& model, std::span<const NodeId> nodes,
                                  const ToolListOptions&) {
  ToolList list;
  Names tensors;
  std::unordered_set<onnx::ValueId> listed;
  const auto add = [&](onnx::ValueId value) {
    if (value == onnx::none || !listed.insert(value).second) return;
    const std::string_view name = model.value_name(value);
    if (!name.empty() && base::is_utf8(name)) tensors.push_back(name);
  };
  for (const NodeId id : nodes) {
    for (const onnx::ValueId value : model.node(id).inputs())
      if (value != onnx::none && model.producer(value).kind == onnx::Producer::Kind::initializer) add(value);
    for (const onnx::ValueId value : model.node(id).outputs()) add(value);
  }
  if (tensors.empty())
    return no_list("the nodes neither read a parameter nor write a tensor", "select others");
  write_list(tensors, list);
  return list;
}

}  // namespace thence::query
