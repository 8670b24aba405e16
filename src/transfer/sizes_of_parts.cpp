#include "transfer/sizes_of_parts.h"

#include <algorithm>

#include "transfer/places.h"

namespace thence::transfer {
namespace {

class Parts {
 public:
  Parts(const Net& net, const std::unordered_set<onnx::NodeId>& wholes, std::vector<Origin>& origins)
      : net_(net),
        wholes_(wholes),
        origins_(origins),
        readers_(value_readers(net.model())),
        dead_(net.model().node_count(), false) {
    for (const onnx::Graph& graph : net.model().graphs())
      given_.insert(graph.outputs.begin(), graph.outputs.end());
  }

  void run() {
    const auto& order = net_.order();
    for (auto id = order.rbegin(); id != order.rend(); ++id)
      if (net_.serves(*id)) by_readers(*id);
    for (const onnx::NodeId id : order)
      if (dead_[id]) by_inputs(id);
  }

 private:
  // What nobody reads tells nothing of what it reads.
  void by_readers(onnx::NodeId id) {
    const auto outputs = net_.model().node(id).outputs();
    if (outputs.size() != 1 || outputs[0] == none || given_.contains(outputs[0])) return;
    onnx::NodeId whole = none;
    dead_[id] = true;
    for (const onnx::NodeId reader : readers_.of(outputs[0])) {
      if (dead_[reader]) continue;
      dead_[id] = false;
      const Origin& origin = origins_[reader];
      if (origin.kind == Kind::unknown || origin.kind == Kind::ambiguous) return;
      if (whole == none) whole = origin.nodes.front();
      if (origin.nodes.front() != whole) return;
    }
    if (wholes_.contains(whole)) origins_[id] = {Kind::computes, Proof::region, {whole}};
  }

  void by_inputs(onnx::NodeId id) {
    for (const onnx::ValueId value : net_.model().node(id).inputs()) {
      const onnx::Producer producer = value == none ? onnx::Producer() : net_.model().producer(value);
      if (producer.kind != onnx::Producer::Kind::node) continue;
      const Origin& origin = origins_[producer.index];
      if (origin.proof != Proof::region || origin.nodes.empty() || !wholes_.contains(origin.nodes.front()))
        continue;
      origins_[id] = {Kind::computes, Proof::region, {origin.nodes.front()}};
      return;
    }
  }

  const Net& net_;
  const std::unordered_set<onnx::NodeId>& wholes_;
  std::vector<Origin>& origins_;
  const ValueReaders readers_;
  std::unordered_set<onnx::ValueId> given_;
  std::vector<bool> dead_;  // by node that works on sizes: nothing comes of it
};

}  // namespace

void sizes_of_parts(const Net& descendant, const std::unordered_set<onnx::NodeId>& wholes,
                    std::vector<Origin>& origins) {
  Parts(descendant, wholes, origins).run();
}

}  // namespace thence::transfer
