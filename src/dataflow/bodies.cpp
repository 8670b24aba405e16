#include "dataflow/bodies.h"

#include <algorithm>
#include <map>

namespace thence::dataflow {

using onnx::Graph;
using onnx::GraphId;
using onnx::NodeId;

Bodies::Bodies(const onnx::Model& model) {
  const std::vector<Graph>& graphs = model.graphs();
  for (GraphId id = 0; id < graphs.size(); ++id)
    if (graphs[id].owner != onnx::none) bodies_.push_back(id);
  std::stable_sort(bodies_.begin(), bodies_.end(),
                   [&](GraphId a, GraphId b) { return graphs[a].owner < graphs[b].owner; });
  for (const GraphId id : bodies_) owners_.push_back(graphs[id].owner);
}

std::span<const GraphId> Bodies::held_by(NodeId node) const {
  if (owners_.empty()) return {};
  const auto [first, past] = std::equal_range(owners_.begin(), owners_.end(), node);
  return std::span(bodies_).subspan(static_cast<std::size_t>(first - owners_.begin()),
                                    static_cast<std::size_t>(past - first));
}

Functions::Functions(const onnx::Model& model) : model_(model) {
  const std::vector<Graph>& graphs = model.graphs();
  std::map<Key, GraphId> sorted;
  for (GraphId id = 0; id < graphs.size(); ++id)
    if (graphs[id].kind == Graph::Kind::function)
      sorted.emplace(Key{graphs[id].domain, graphs[id].name, graphs[id].overload}, id);
  for (const auto& [key, id] : sorted) {
    keys_.push_back(key);
    functions_.push_back(id);
  }
}

GraphId Functions::called_by(const onnx::Node& node) const {
  if (keys_.empty()) return onnx::none;
  const Key wanted{node.domain(), node.op_type(), node.overload()};
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), wanted);
  if (found == keys_.end() || *found != wanted) return onnx::none;
  return functions_[static_cast<std::size_t>(found - keys_.begin())];
}

bool Functions::has_overload_of(const onnx::Node& node) const {
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), Key{node.domain(), node.op_type(), {}});
  return found != keys_.end() && std::get<0>(*found) == node.domain() &&
         std::get<1>(*found) == node.op_type();
}

GraphId Functions::end_of(GraphId function) const {
  const std::vector<Graph>& graphs = model_.graphs();
  GraphId end = function + 1;
  while (end < graphs.size() && graphs[end].kind == Graph::Kind::body) ++end;
  return end;
}

}  // namespace thence::dataflow
