#include "query/tool_list_parts.h"

#include <unordered_set>

#include "base/format.h"
#include "base/utf8.h"

namespace thence::query {

using onnx::NodeId;

void warn(ToolList& list, std::string code, std::string text) {
  list.diagnostics.push_back({std::move(code), Severity::warning, "", std::move(text)});
}

void warn_of_omitted(ToolList& list, std::size_t omitted) {
  if (omitted > 0)
    warn(list, "Q006", base::format("{} nodes are omitted: they have no name that can be listed", omitted));
}

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

Error no_names_error() {
  return no_list("none of the nodes has a name to be listed",
                 "name the nodes first; thence convert --to csv lists them");
}

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
  warn_of_omitted(list, nameless);
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

}  // namespace thence::query
