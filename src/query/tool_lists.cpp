#include "query/tool_lists.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "query/boundary.h"
#include "query/quantiser_lists.h"
#include "query/tensorrt_lists.h"
#include "query/tool_list_parts.h"

namespace thence::query {
namespace {

using onnx::NodeId;

Result<ToolList> name_list(const onnx::Model& model, std::span<const NodeId> nodes, const ToolListOptions&) {
  ToolList list;
  const Names names = names_of(model, nodes, list);
  if (names.empty()) return no_names_error();
  write_list(names, list);
  return list;
}

Result<ToolList> op_list(const onnx::Model& model, std::span<const NodeId> nodes, const ToolListOptions&) {
  ToolList list;
  Names ops;
  for (const NodeId id : nodes) ops.push_back(model.node(id).op_type());
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  std::size_t all = 0;
  for (NodeId id = 0; id < model.node_count(); ++id)
    all += std::binary_search(ops.begin(), ops.end(), model.node(id).op_type());
  if (all > nodes.size())
    warn(list, "Q007",
         base::format(
             "nodes that were not selected and are of these types, too: {}; node-block-list names nodes",
             all - nodes.size()));
  write_list(ops, list);
  return list;
}

Result<ToolList> extract_list(const onnx::Model& model, std::span<const NodeId> nodes,
                              const ToolListOptions&) {
  const Boundary edge = boundary_of(model, nodes);
  if (edge.outputs.empty())
    return no_list("nothing that these nodes of the main graph compute is used", "select more of them");
  ToolList list;
  if (edge.in_functions > 0)
    warn(list, "Q006",
         base::format("{} nodes are omitted: they are in bodies of functions", edge.in_functions));
  const auto names = [&](const std::vector<onnx::ValueId>& values) {
    Names texts;
    for (const onnx::ValueId value : values) texts.push_back(model.value_name(value));
    return texts;
  };
  base::JsonWriter json(list.text);
  json.begin_object();
  json.key<"input_names">();
  json.space();
  write_names(names(edge.inputs), json);
  json.space();
  json.key<"output_names">();
  json.space();
  write_names(names(edge.outputs), json);
  json.end_object();
  list.text += '\n';
  return list;
}

struct ToolListKind {
  std::string_view name;
  Result<ToolList> (*make)(const onnx::Model&, std::span<const NodeId>, const ToolListOptions&);
};
constexpr ToolListKind kinds[] = {
    {"nodes-to-exclude", name_list},        {"nodes-to-quantize", name_list},
    {"node-block-list", name_list},         {"op-block-list", op_list},
    {"op-name-dict", op_name_dict},         {"ignored-scope", ignored_scope},
    {"aimet-quantizers", aimet_quantisers}, {"tensorrt-layers", tensorrt_precisions},
    {"tensorrt-names", tensorrt_names},     {"extract-io", extract_list}};

}  // namespace

const std::vector<std::string_view>& tool_list_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const ToolListKind& kind : kinds) all.push_back(kind.name);
    return all;
  }();
  return names;
}

Result<ToolList> tool_list(std::string_view name, const onnx::Model& model, std::span<const NodeId> nodes,
                           const ToolListOptions& options) {
  for (const ToolListKind& kind : kinds)
    if (kind.name == name) return kind.make(model, nodes, options);
  return Error{ErrorKind::usage, "Q001", base::format("unknown list '{}'", name),
               base::format("lists: {}", base::joined(tool_list_names(), ", "))};
}

}  // namespace thence::query
