#include "transfer/leftovers.h"

#include <algorithm>
#include <unordered_map>

#include "transfer/places.h"

namespace thence::transfer {
namespace {

constexpr std::size_t most_unmatched = 64;

class Leftovers {
 public:
  Leftovers(const Net& ancestor, const Net& descendant, const ValueNames& names, std::vector<Origin>& origins)
      : a_(ancestor),
        d_(descendant),
        origins_(origins),
        readers_(value_readers(descendant.model())),
        places_(ancestor, descendant, {readers_, names, origins}) {
    for (const onnx::Graph& graph : ancestor.model().graphs())
      if (graph.kind == onnx::Graph::Kind::body && bodies_[graph.owner].size() < most_unmatched)
        bodies_[graph.owner].push_back(&graph);
  }

  void run() {
    find_unread();
    for (auto at = d_.order().rbegin(); at != d_.order().rend(); ++at) served(*at);
    for (const onnx::NodeId id : d_.order()) left_over(id);
    for (const onnx::Graph& graph : d_.model().graphs())
      if (graph.kind == onnx::Graph::Kind::body) inside(graph);
  }

 private:
  // Nodes whose results lead nowhere: only outputs that nobody asked for would read them.
  void find_unread() {
    const onnx::Model& model = d_.model();
    std::vector<bool> given(model.value_count(), false);
    for (const onnx::Graph& graph : model.graphs())
      for (const onnx::ValueId value : graph.outputs)
        if (value != none) given[value] = true;
    unread_.assign(origins_.size(), false);
    for (auto at = d_.order().rbegin(); at != d_.order().rend(); ++at) {
      const onnx::NodeId id = *at;
      const auto outputs = model.node(id).outputs();
      unread_[id] = std::all_of(outputs.begin(), outputs.end(), [&](onnx::ValueId value) {
        if (value == none) return true;
        const auto readers = readers_.of(value);
        return !given[value] && std::all_of(readers.begin(), readers.end(), [&](onnx::NodeId reader) {
          return static_cast<bool>(unread_[reader]);
        });
      });
    }
  }

  // They belong to the operation of which they are a part, which made all that they read.
  void left_over(onnx::NodeId id) {
    if (!unread_[id] || origins_[id].kind != Kind::unknown) return;
    const onnx::NodeId* found = nullptr;
    for (const onnx::ValueId value : d_.model().node(id).inputs()) {
      const onnx::Producer producer = value == none ? onnx::Producer() : d_.model().producer(value);
      if (producer.kind != onnx::Producer::Kind::node || d_.is_constant(producer.index)) continue;
      const Origin& maker = origins_[producer.index];
      if (maker.kind == Kind::unknown || maker.kind == Kind::ambiguous) return;
      if (found != nullptr && *found != maker.nodes.front()) return;
      found = &maker.nodes.front();
    }
    if (found != nullptr) origins_[id] = {Kind::carries, Proof::region, {*found}};
  }

  // What stands in a body: the same nodes as in the partner's body, in the same order; or what its owner is,
  // where that was put in, or an operation without a body was taken apart into it.
  void inside(const onnx::Graph& body) {
    const Origin owner = origins_[body.owner];
    constexpr std::size_t most_owners = 4;  // large bodies would keep long lists
    if (owner.kind == Kind::unknown || owner.kind == Kind::ambiguous || owner.nodes.size() > most_owners)
      return;
    const auto bodies = bodies_.find(owner.nodes.front());
    const bool has_bodies = owner.kind == Kind::computes && bodies != bodies_.end();
    const onnx::Graph* same = nullptr;
    if (has_bodies)
      for (const onnx::Graph* const each : bodies->second)
        if (each->attribute == body.attribute && each->position == body.position) same = each;
    const bool alike = same != nullptr && has_same_nodes(body, *same);
    if (has_bodies && !alike) return;
    for (onnx::NodeId i = 0; i < body.node_count; ++i)
      if (Origin& origin = origins_[body.first_node + i]; origin.kind == Kind::unknown)
        origin = alike ? Origin{Kind::computes, Proof::region, {same->first_node + i}}
                       : Origin{owner.kind, Proof::region, owner.nodes};
  }

  bool has_same_nodes(const onnx::Graph& ours, const onnx::Graph& theirs) const {
    if (ours.node_count != theirs.node_count) return false;
    for (onnx::NodeId i = 0; i < ours.node_count; ++i)
      if (d_.model().node(ours.first_node + i).op_type() != a_.model().node(theirs.first_node + i).op_type())
        return false;
    return true;
  }

  // Constants and what is computed of them, and what nothing else tells about: their readers'.
  void served(onnx::NodeId id) {
    Origin& origin = origins_[id];
    const auto outputs = d_.model().node(id).outputs();
    const bool scale = !outputs.empty() && outputs[0] != none && d_.is_scale(outputs[0]);
    if (origin.kind != Kind::unknown || !(d_.serves(id) || scale)) return;
    if (origin = places_.of(id); origin.kind != Kind::unknown) return;
    bool all_known = true, any = false, afar = false;
    std::vector<onnx::NodeId> nodes;
    for (const onnx::ValueId value : d_.model().node(id).outputs()) {
      if (value == none) continue;
      for (const onnx::NodeId reader : readers_.of(value)) {
        if (unread_[reader] && origins_[reader].kind == Kind::unknown) continue;
        any = true;
        all_known &= origins_[reader].kind != Kind::unknown;
        afar |= is_for_readers(origins_[reader].kind);
        const bool open = origins_[reader].kind == Kind::ambiguous;
        for (const onnx::NodeId node : origins_[reader].nodes) {
          if (nodes.size() < most_unmatched && std::find(nodes.begin(), nodes.end(), node) == nodes.end())
            nodes.push_back(node);
          if (!open) break;
        }
      }
    }
    if (!any || !all_known) return;
    origin = {afar ? Kind::helps : Kind::serves, Proof::not_proven, std::move(nodes)};
  }

  const Net &a_, &d_;
  std::vector<Origin>& origins_;
  const ValueReaders readers_;
  Places places_;
  std::vector<bool> unread_;                                                  // by node
  std::unordered_map<onnx::NodeId, std::vector<const onnx::Graph*>> bodies_;  // of the ancestor, by owner
};

}  // namespace

void tell_leftovers(const Net& ancestor, const Net& descendant, const ValueNames& names,
                    std::vector<Origin>& origins) {
  Leftovers(ancestor, descendant, names, origins).run();
}

}  // namespace thence::transfer
