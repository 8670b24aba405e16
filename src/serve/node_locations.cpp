#include "serve/node_locations.h"

#include <charconv>

namespace thence::serve {

NodesByLocation::NodesByLocation(const onnx::Model& model) : model_(model) {
  for (onnx::GraphId graph = 0; graph < model.graphs().size(); ++graph)
    graphs_.emplace(model.graph_label(graph), graph);
}

onnx::NodeId NodesByLocation::find(std::string_view location) const {
  const std::size_t mark = location.rfind('#');
  if (mark == std::string_view::npos) return onnx::none;
  std::uint32_t index = 0;
  const char* const end = location.data() + location.size();
  const auto parsed = std::from_chars(location.data() + mark + 1, end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end) return onnx::none;
  const auto graph = graphs_.find(std::string(location.substr(0, mark)));
  if (graph == graphs_.end() || index >= model_.graphs()[graph->second].node_count) return onnx::none;
  return model_.graphs()[graph->second].first_node + index;
}

}  // namespace thence::serve
