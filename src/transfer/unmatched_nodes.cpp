#include "transfer/unmatched_nodes.h"

#include <algorithm>

#include "dataflow/bodies.h"
#include "transfer/operand_matcher.h"

namespace thence::transfer {
namespace {

class UnmatchedNodes {
 public:
  UnmatchedNodes(const ValueGraph& ancestor, const ValueGraph& descendant, const ValueNames& names,
                 std::vector<Origin>& origins)
      : a_(ancestor),
        d_(descendant),
        origins_(origins),
        uses_(value_uses(descendant.model())),
        operands_(ancestor, descendant, {uses_, names, origins}),
        bodies_(ancestor.model()) {}

  void run() {
    find_unused();
    for (auto at = d_.order().rbegin(); at != d_.order().rend(); ++at) match_auxiliary(*at);
    for (const onnx::NodeId id : d_.order())
      if (is_unused_[id] && origins_[id].kind == OriginKind::unknown) match_unused(id);
    for (const onnx::Graph& graph : d_.model().graphs())
      if (graph.kind == onnx::Graph::Kind::body) match_body(graph);
  }

 private:
  // Nodes whose results reach no graph output.
  void find_unused() {
    const onnx::Model& model = d_.model();
    std::vector<bool> is_output(model.value_count(), false);
    for (const onnx::Graph& graph : model.graphs())
      for (const onnx::ValueId value : graph.outputs)
        if (value != none) is_output[value] = true;
    is_unused_.assign(origins_.size(), false);
    const auto is_unused_value = [&](onnx::ValueId value) {
      if (value == none) return true;
      const auto uses = uses_.of(value);
      return !is_output[value] && std::all_of(uses.begin(), uses.end(), [&](onnx::NodeId use) {
        return static_cast<bool>(is_unused_[use]);
      });
    };
    for (auto at = d_.order().rbegin(); at != d_.order().rend(); ++at) {
      const auto outputs = model.node(*at).outputs();
      is_unused_[*at] = std::all_of(outputs.begin(), outputs.end(), is_unused_value);
    }
  }

  // Unused nodes are parts of the operation that wrote all of their inputs.
  void match_unused(onnx::NodeId id) {
    const onnx::NodeId* found = nullptr;
    for (const onnx::ValueId value : d_.model().node(id).inputs()) {
      const onnx::Producer producer = value == none ? onnx::Producer() : d_.model().producer(value);
      if (producer.kind != onnx::Producer::Kind::node || d_.has_constant_inputs(producer.index)) continue;
      const Origin& origin = origins_[producer.index];
      if (!origin.is_certain()) return;
      if (found != nullptr && *found != origin.nodes.front()) return;
      found = &origin.nodes.front();
    }
    if (found != nullptr) origins_[id] = {OriginKind::inserted, Proof::region, {*found}};
  }

  // Nodes of a body come from the same nodes of the partner's body; or, if a rewrite inserted the owner or
  // split an operation into it, from the owner's origins.
  void match_body(const onnx::Graph& body) {
    const Origin owner = origins_[body.owner];
    if (!owner.is_certain() || owner.nodes.size() > max_body_origins) return;
    const auto bodies = bodies_.held_by(owner.nodes.front());
    const bool has_bodies = owner.kind == OriginKind::computes && !bodies.empty();
    const onnx::Graph* same = nullptr;
    if (has_bodies)
      for (const onnx::GraphId id : bodies.first(std::min(bodies.size(), max_collected)))
        if (const onnx::Graph& each = a_.model().graphs()[id];
            each.attribute == body.attribute && each.position == body.position)
          same = &each;
    const bool is_equal = same != nullptr && have_same_operators(body, *same);
    if (has_bodies && !is_equal) return;
    for (onnx::NodeId i = 0; i < body.node_count; ++i)
      if (Origin& origin = origins_[body.first_node + i]; origin.kind == OriginKind::unknown)
        origin = is_equal ? Origin{OriginKind::computes, Proof::region, {same->first_node + i}}
                          : Origin{owner.kind, Proof::region, owner.nodes};
  }

  bool have_same_operators(const onnx::Graph& ours, const onnx::Graph& theirs) const {
    if (ours.node_count != theirs.node_count) return false;
    for (onnx::NodeId i = 0; i < ours.node_count; ++i)
      if (d_.op(ours.first_node + i).name != a_.op(theirs.first_node + i).name) return false;
    return true;
  }

  void match_auxiliary(onnx::NodeId id) {
    Origin& origin = origins_[id];
    if (origin.kind != OriginKind::unknown) return;
    const auto outputs = d_.model().node(id).outputs();
    const bool is_scale = !outputs.empty() && outputs[0] != none && d_.is_quantisation_scale(outputs[0]);
    if (!d_.is_auxiliary(id) && !is_scale) return;
    if (origin = operands_.find(id); origin.kind != OriginKind::unknown) return;
    match_by_uses(id, outputs);
  }

  // If the origins of all uses are known, they are the origins of the node.
  void match_by_uses(onnx::NodeId id, std::span<const onnx::ValueId> outputs) {
    bool is_indirect = false;
    std::vector<onnx::NodeId> nodes;
    for (const onnx::ValueId value : outputs) {
      if (value == none) continue;
      for (const onnx::NodeId use : uses_.of(value)) {
        const OriginKind kind = origins_[use].kind;
        if (kind == OriginKind::unknown) {
          if (is_unused_[use]) continue;
          return;
        }
        is_indirect |= has_origins_of_consumers(kind);
        collect(origins_[use], nodes);
      }
    }
    if (!nodes.empty())
      origins_[id] = {is_indirect ? OriginKind::feeds_indirectly : OriginKind::feeds, Proof::not_proven,
                      std::move(nodes)};
  }

  // The primary node of an origin, or all if it is ambiguous.
  static void collect(const Origin& origin, std::vector<onnx::NodeId>& nodes) {
    for (const onnx::NodeId node : origin.nodes) {
      if (nodes.size() < max_collected && std::find(nodes.begin(), nodes.end(), node) == nodes.end())
        nodes.push_back(node);
      if (origin.kind != OriginKind::ambiguous) break;
    }
  }

  const ValueGraph &a_, &d_;
  std::vector<Origin>& origins_;
  const ValueUses uses_;
  OperandMatcher operands_;
  const dataflow::Bodies bodies_;  // of the ancestor
  std::vector<bool> is_unused_;    // by node
};

}  // namespace

void find_origins_of_unmatched(const ValueGraph& ancestor, const ValueGraph& descendant,
                               const ValueNames& names, std::vector<Origin>& origins) {
  UnmatchedNodes(ancestor, descendant, names, origins).run();
}

}  // namespace thence::transfer
