#include "query/tensorrt_lists.h"

#include <unordered_set>

#include "base/format.h"
#include "base/text.h"
#include "base/utf8.h"
#include "query/tool_list_parts.h"

namespace thence::query {
namespace {

using onnx::NodeId;

// The name of the layer: that of the node, else one made from its first output; empty if there is neither.
std::string layer_name(const onnx::Model& model, NodeId id) {
  const onnx::Node node = model.node(id);
  if (node.name().empty() && !node.outputs().empty() && node.outputs().front() != onnx::none)
    return base::format("node_of_{}", model.value_name(node.outputs().front()));
  return std::string(node.name());
}

// trtexec splits the list at commas and colons and has no quotes; a star is a wildcard. A name with control
// characters can neither be escaped in this format nor printed on a terminal.
bool fits_command_line(const std::string& name) {
  return !name.empty() && name.find_first_of(",*\"'") == std::string::npos && base::is_printable(name);
}
bool fits_json(const std::string& name) { return !name.empty() && base::is_utf8(name); }

// The distinct names of the layers that fit the format.
Result<std::vector<std::string>> layer_names(const onnx::Model& model, std::span<const NodeId> nodes,
                                             bool (*fits)(const std::string& name), ToolList& list) {
  std::vector<std::string> names;
  std::unordered_set<std::string> listed;
  std::size_t omitted = 0;
  for (const NodeId id : nodes) {
    std::string name = layer_name(model, id);
    if (!fits(name))
      ++omitted;
    else if (listed.insert(name).second)
      names.push_back(std::move(name));
  }
  if (names.empty())
    return no_list("none of the nodes has a name that such a list can hold", "name the nodes first");
  warn_of_omitted(list, omitted);
  return names;
}

}  // namespace

Result<ToolList> tensorrt_precisions(const onnx::Model& model, std::span<const NodeId> nodes,
                                     const ToolListOptions& options) {
  ToolList list;
  const Result<std::vector<std::string>> names = layer_names(model, nodes, fits_command_line, list);
  if (!names) return names.error();
  for (const std::string& name : *names)
    list.text += base::format("{}{}:{}", list.text.empty() ? "" : ",", name, options.precision);
  list.text += '\n';
  return list;
}

Result<ToolList> tensorrt_names(const onnx::Model& model, std::span<const NodeId> nodes,
                                const ToolListOptions&) {
  ToolList list;
  const Result<std::vector<std::string>> names = layer_names(model, nodes, fits_json, list);
  if (!names) return names.error();
  write_list(Names(names->begin(), names->end()), list);
  return list;
}

}  // namespace thence::query
