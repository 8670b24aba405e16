#include "query/find_node.h"

#include <charconv>

#include "base/brief.h"
#include "base/format.h"
#include "base/nearest_names.h"
#include "base/text.h"

namespace thence::query {
namespace {

std::vector<onnx::NodeId> find_by_name_or_location(const onnx::Model& model, const std::string& wanted) {
  std::vector<onnx::NodeId> found;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    if (model.node(id).name() == wanted && !wanted.empty()) found.push_back(id);
  const std::size_t hash = wanted.rfind('#');
  if (!found.empty() || hash == std::string::npos) return found;
  std::uint32_t index = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto parsed = std::from_chars(wanted.data() + hash + 1, end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end) return found;
  for (onnx::GraphId graph = 0; graph < model.graphs().size(); ++graph)
    if (index < model.graphs()[graph].node_count && model.graph_label(graph) == wanted.substr(0, hash))
      found.push_back(model.graphs()[graph].first_node + index);
  return found;
}

// The valid locations in the requested graph, for a location that does not exist.
std::string location_hint(const onnx::Model& model, const std::string& wanted) {
  for (onnx::GraphId graph = 0; graph < model.graphs().size(); ++graph) {
    const onnx::NodeId count = model.graphs()[graph].node_count;
    if (count == 0) continue;
    const std::string label = model.graph_label(graph);
    if (label == wanted.substr(0, wanted.rfind('#')))
      return base::format("the nodes of that graph are '{}#0' to '{}#{}'", base::printable(label),
                          base::printable(label), count - 1);
  }
  return {};
}

std::string nearest_node_names(const onnx::Model& model, const std::string& wanted) {
  base::NearestNames nearest(wanted);
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    if (const std::string_view name = model.node(id).name(); !name.empty()) nearest.add(name);
  std::string names;
  for (const std::string& name : nearest.names()) names += (names.empty() ? "" : ", ") + base::brief(name);
  return names;
}

}  // namespace

Result<std::vector<onnx::NodeId>> find_node(const onnx::Model& model, const std::string& wanted) {
  std::vector<onnx::NodeId> found = find_by_name_or_location(model, wanted);
  if (!found.empty()) return found;
  const std::string names = nearest_node_names(model, wanted);
  const std::string by_location =
      wanted.find('#') == std::string::npos ? std::string() : location_hint(model, wanted);
  return Error{
      ErrorKind::usage, "U006",
      base::format("{}: no node has the name '{}'", base::printable(model.file()), base::brief(wanted)),
      !by_location.empty() ? by_location
      : names.empty()      ? "give a node as GRAPH#INDEX, such as '#0'"
                           : base::format("the nearest names: {}", names)};
}

}  // namespace thence::query
