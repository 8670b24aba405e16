#include "shapes/topological_order.h"

namespace thence::shapes {

using onnx::Graph;
using onnx::NodeId;
using onnx::Producer;
using onnx::ValueId;

namespace {

// Calls `use` for each producer of a node's inputs in the same graph.
template <class Use>
void each_producer(const onnx::Model& model, const Graph& graph, NodeId node, Use use) {
  for (const ValueId value : model.node(node).inputs()) {
    if (value == onnx::none) continue;
    const Producer producer = model.producer(value);
    if (producer.kind == Producer::Kind::node && producer.index >= graph.first_node &&
        producer.index - graph.first_node < graph.node_count)
      use(producer.index);
  }
}

}  // namespace

bool TopologicalOrder::is_topological(const Graph& graph) const {
  bool is_sorted = true;
  for (NodeId i = 0; i < graph.node_count && is_sorted; ++i)
    each_producer(model_, graph, graph.first_node + i,
                  [&](NodeId source) { is_sorted = is_sorted && source < graph.first_node + i; });
  return is_sorted;
}

const std::vector<NodeId>* TopologicalOrder::sorted_of(const Graph& graph) {
  if (graph.node_count == 0) return nullptr;
  const auto [at, is_new] = sorted_.try_emplace(graph.first_node);
  std::vector<NodeId>& sorted = at->second;
  if (!is_new || is_topological(graph)) return sorted.empty() ? nullptr : &sorted;
  std::vector<std::uint32_t> unvisited_producers(graph.node_count), first(graph.node_count + 1);
  const auto each_edge = [&](auto use) {
    for (NodeId i = 0; i < graph.node_count; ++i)
      each_producer(model_, graph, graph.first_node + i,
                    [&](NodeId source) { use(source - graph.first_node, i); });
  };
  each_edge([&](NodeId source, NodeId target) { ++first[source + 1], ++unvisited_producers[target]; });
  for (NodeId i = 0; i < graph.node_count; ++i) first[i + 1] += first[i];
  std::vector<NodeId> consumers(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  each_edge([&](NodeId source, NodeId target) { consumers[next[source]++] = target; });
  for (NodeId i = 0; i < graph.node_count; ++i)
    if (unvisited_producers[i] == 0) sorted.push_back(i);
  for (std::size_t done = 0; done < sorted.size(); ++done)
    for (std::uint32_t i = first[sorted[done]]; i < first[sorted[done] + 1]; ++i)
      if (--unvisited_producers[consumers[i]] == 0) sorted.push_back(consumers[i]);
  for (NodeId i = 0; i < graph.node_count; ++i)
    if (unvisited_producers[i] > 0) sorted.push_back(i);  // on a cycle: any order will do
  for (NodeId& node : sorted) node += graph.first_node;
  return &sorted;
}

}  // namespace thence::shapes
