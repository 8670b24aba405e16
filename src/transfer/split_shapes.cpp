#include "transfer/split_shapes.h"

#include "transfer/operand_matcher.h"

namespace thence::transfer {
namespace {

class ShapesOfParts {
 public:
  ShapesOfParts(const ValueGraph& graph, const std::unordered_set<onnx::NodeId>& wholes,
                std::vector<Origin>& origins)
      : graph_(graph),
        wholes_(wholes),
        origins_(origins),
        uses_(value_uses(graph.model())),
        is_unused_(graph.model().node_count(), false) {
    for (const onnx::Graph& each : graph.model().graphs())
      graph_outputs_.insert(each.outputs.begin(), each.outputs.end());
  }

  void run() {
    const auto& order = graph_.order();
    for (auto id = order.rbegin(); id != order.rend(); ++id)
      if (graph_.is_auxiliary(*id)) find_by_uses(*id);
    for (const onnx::NodeId id : order)
      if (is_unused_[id]) find_by_inputs(id);
  }

 private:
  // Unused nodes say nothing about what they read.
  void find_by_uses(onnx::NodeId id) {
    const auto outputs = graph_.model().node(id).outputs();
    if (outputs.size() != 1 || outputs[0] == none || graph_outputs_.contains(outputs[0])) return;
    onnx::NodeId whole = none;
    is_unused_[id] = true;
    for (const onnx::NodeId use : uses_.of(outputs[0])) {
      if (is_unused_[use]) continue;
      is_unused_[id] = false;
      const Origin& origin = origins_[use];
      if (!origin.is_certain()) return;
      if (whole == none) whole = origin.nodes.front();
      if (origin.nodes.front() != whole) return;
    }
    if (wholes_.contains(whole)) origins_[id] = {OriginKind::computes, Proof::region, {whole}};
  }

  void find_by_inputs(onnx::NodeId id) {
    for (const onnx::ValueId value : graph_.model().node(id).inputs()) {
      const onnx::Producer producer = value == none ? onnx::Producer() : graph_.model().producer(value);
      if (producer.kind != onnx::Producer::Kind::node) continue;
      const Origin& origin = origins_[producer.index];
      if (origin.proof != Proof::region || origin.nodes.empty() || !wholes_.contains(origin.nodes.front()))
        continue;
      origins_[id] = {OriginKind::computes, Proof::region, {origin.nodes.front()}};
      return;
    }
  }

  const ValueGraph& graph_;
  const std::unordered_set<onnx::NodeId>& wholes_;
  std::vector<Origin>& origins_;
  const ValueUses uses_;
  std::unordered_set<onnx::ValueId> graph_outputs_;
  std::vector<bool> is_unused_;  // by node that computes shapes or constants
};

}  // namespace

void find_shapes_of_parts(const ValueGraph& descendant, const std::unordered_set<onnx::NodeId>& wholes,
                          std::vector<Origin>& origins) {
  ShapesOfParts(descendant, wholes, origins).run();
}

}  // namespace thence::transfer
