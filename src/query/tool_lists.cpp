#include "query/tool_lists.h"

#include <algorithm>
#include <unordered_set>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/utf8.h"
#include "query/boundary.h"

namespace thence::query {
namespace {

using onnx::NodeId;
using Names = std::vector<std::string_view>;

void warn(ToolList& list, std::string code, std::string text) {
  list.diagnostics.push_back({std::move(code), Severity::warning, "", std::move(text)});
}

// One name per line, so that two lists are easy to compare.
void write_names(const Names& names, base::JsonWriter& json) {
  json.begin_array();
  for (const std::string_view name : names) {
    json.new_line(" ");
    json.value(name);
  }
  names.empty() ? json.end_array() : json.end_array_on_new_line();
}

void write_list(const Names& names, ToolList& list) {
  base::JsonWriter json(list.text);
  write_names(names, json);
  list.text += '\n';
}

Error no_list(std::string text, std::string hint) {
  return {ErrorKind::usage, "Q002", std::move(text), std::move(hint)};
}

// The distinct names of the nodes. Nodes that a name cannot identify are reported.
Names names_of(const onnx::Model& model, std::span<const NodeId> nodes, ToolList& list) {
  std::unordered_set<std::string_view> listed;
  Names names;
  std::size_t nameless = 0;
  for (const NodeId id : nodes) {
    const std::string_view name = model.node(id).name();
    if (name.empty() || !base::is_utf8(name))
      ++nameless;
    else if (listed.insert(name).second)
      names.push_back(name);
  }
  if (nameless > 0)
    warn(list, "Q006", base::format("{} nodes are omitted: they have no name that can be listed", nameless));
  std::size_t unselected = 0;
  std::size_t next = 0;  // nodes are sorted
  for (NodeId id = 0; id < model.node_count(); ++id)
    if (next < nodes.size() && nodes[next] == id)
      ++next;
    else if (listed.contains(model.node(id).name()))
      ++unselected;
  if (unselected > 0)
    warn(list, "Q007", base::format("{} nodes that were not selected have a listed name", unselected));
  return names;
}

Result<ToolList> name_list(const onnx::Model& model, std::span<const NodeId> nodes, const ToolListOptions&) {
  ToolList list;
  const Names names = names_of(model, nodes, list);
  if (names.empty())
    return no_list("none of the nodes has a name to be listed",
                   "name the nodes first; thence convert --to csv lists them");
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

// trtexec splits the list at commas and colons and has no quotes; a star is a wildcard. A name with control
// characters can neither be escaped in this format nor printed on a terminal.
Result<ToolList> tensorrt_list(const onnx::Model& model, std::span<const NodeId> nodes,
                               const ToolListOptions& options) {
  ToolList list;
  std::unordered_set<std::string> listed;
  std::size_t omitted = 0;
  for (const NodeId id : nodes) {
    const onnx::Node node = model.node(id);
    std::string name(node.name());
    if (name.empty() && !node.outputs().empty() && node.outputs().front() != onnx::none)
      name = base::format("node_of_{}", model.value_name(node.outputs().front()));
    if (name.empty() || name.find_first_of(",*\"'") != std::string::npos || !base::is_printable(name)) {
      ++omitted;
      continue;
    }
    if (!listed.insert(name).second) continue;
    list.text += base::format("{}{}:{}", list.text.empty() ? "" : ",", name, options.precision);
  }
  if (list.text.empty())
    return no_list("none of the nodes has a name that such a list can hold", "name the nodes first");
  if (omitted > 0)
    warn(list, "Q006", base::format("{} nodes are omitted: they have no name that can be listed", omitted));
  list.text += '\n';
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
constexpr ToolListKind kinds[] = {{"nodes-to-exclude", name_list},
                                  {"node-block-list", name_list},
                                  {"op-block-list", op_list},
                                  {"tensorrt-layers", tensorrt_list},
                                  {"extract-io", extract_list}};

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
