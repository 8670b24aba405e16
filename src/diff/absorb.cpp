#include "diff/absorb.h"

#include <algorithm>

#include "dataflow/primitive_ops.h"
#include "diff/node_uses.h"
#include "diff/thresholds.h"

namespace thence::diff {
namespace {

using dataflow::Trait;

using onnx::NodeId;
using onnx::none;

class Absorber {
 public:
  Absorber(const Side& a, const Side& b, Grouping& grouping) : a_(a), b_(b), grouping_(grouping) {}

  void run() {
    absorb(a_, grouping_.of_a, &Group::a);
    absorb(b_, grouping_.of_b, &Group::b);
    absorb_scales();
    absorb_views(a_, grouping_.of_a, &Group::a);
    absorb_views(b_, grouping_.of_b, &Group::b);
  }

 private:
  // Nodes whose results only one rewritten group reads were rewritten with it.
  void absorb(const Side& of_side, std::vector<std::uint32_t>& of, std::vector<NodeId> Group::*side) {
    const NodeUses uses(of_side.model);
    for (NodeId id = of_side.model.node_count(); id-- > 0;) {
      if (of[id] != no_group || uses.is_graph_output(id) || of_side.is_constant(id)) continue;
      std::uint32_t into = no_group;
      bool one = true;
      for (const NodeId use : uses.of(id)) {
        one = one && of[use] != no_group && (into == no_group || into == of[use]);
        into = of[use];
      }
      if (into == no_group || !one || !is_rewritten(grouping_.groups[into])) continue;
      if (side == &Group::a && is_scale(a_, id) && !may_include_scale(grouping_.groups[into])) continue;
      (grouping_.groups[into].*side).push_back(id);
      of[id] = into;
    }
  }

  // Reshapes and transposes next to a changed one changed with it. A view of a rewritten result is part of
  // the rewrite.
  void absorb_views(const Side& side, std::vector<std::uint32_t>& of, std::vector<NodeId> Group::*nodes) {
    const NodeUses uses(side.model);
    for (NodeId id = 0; id < of.size(); ++id)
      if (const NodeId producer = producer_of_first_input(side, id);
          producer != none && uses.of(producer).size() == 1)
        join_view(side, of, nodes, {.view = id, .neighbour = producer, .is_after = true});
    for (auto id = static_cast<NodeId>(of.size()); id-- > 0;)
      if (uses.of(id).size() == 1 && !uses.is_graph_output(id))
        join_view(side, of, nodes, {.view = id, .neighbour = uses.of(id).front(), .is_after = false});
  }

  struct Adjacent {
    NodeId view, neighbour;
    bool is_after;  // whether the view reads its neighbour
  };
  void join_view(const Side& side, std::vector<std::uint32_t>& of, std::vector<NodeId> Group::*nodes,
                 const Adjacent& adjacent) {
    const std::uint32_t into = of[adjacent.neighbour];
    if (of[adjacent.view] != no_group || !reshapes(side, adjacent.view) || into == no_group) return;
    const bool among_views = is_changed_view(grouping_.groups[into]);
    if (!among_views && !(adjacent.is_after && is_rewritten(grouping_.groups[into]))) return;
    std::vector<NodeId>& members = grouping_.groups[into].*nodes;
    if (members.size() >= max_joined_views) return;
    members.insert(adjacent.is_after && among_views ? members.begin() : members.end(), adjacent.view);
    of[adjacent.view] = into;
  }

  static NodeId producer_of_first_input(const Side& side, NodeId id) {
    const auto inputs = side.model.node(id).inputs();
    if (inputs.empty() || inputs[0] == none) return none;
    const onnx::Producer producer = side.model.producer(inputs[0]);
    return producer.kind == onnx::Producer::Kind::node ? producer.index : none;
  }

  static bool reshapes(const Side& side, NodeId id) { return side.graph.has_trait(id, Trait::reshapes); }
  bool is_changed_view(const Group& group) const {
    return !group.exact && !group.a.empty() && !group.b.empty() && reshapes(a_, group.a.front()) &&
           reshapes(b_, group.b.front());
  }

  bool is_rewritten(const Group& group) const {
    return !group.exact && !group.a.empty() && !group.b.empty() &&
           (group.a.size() > 1 || group.b.size() > 1 ||
            a_.model.node(group.a.front()).op_type() != b_.model.node(group.b.front()).op_type());
  }

  // A scale of a fused result that no group has absorbed was fused with it.
  void absorb_scales() {
    for (NodeId id = 0; id < a_.model.node_count(); ++id) {
      if (grouping_.of_a[id] != no_group || !is_scale(a_, id)) continue;
      const NodeId producer = a_.graph.producer_node(a_.graph.canonical(a_.model.node(id).outputs()[0]));
      const std::uint32_t into = producer == none ? no_group : grouping_.of_a[producer];
      if (into != no_group && is_rewritten(grouping_.groups[into]) &&
          may_include_scale(grouping_.groups[into]))
        grouping_.join_a(into, id);
    }
  }

  static bool is_scale(const Side& side, NodeId id) {
    return side.graph.is_view(id) && side.graph.has_trait(id, Trait::scales);
  }

  // Whether an operator of B may compute more than the nodes of A in its group: it has its own factor,
  // or a primitive operation that they lack.
  bool may_include_scale(const Group& group) const {
    if (group.a.size() > max_fused_nodes) return false;
    const onnx::Node node = b_.model.node(group.b.front());
    if (const auto factor = node.attribute("alpha"); factor && factor->f != 1) return true;
    for (const dataflow::PrimitiveOp& part : dataflow::primitives_of(node))
      if (std::none_of(group.a.begin(), group.a.end(),
                       [&](NodeId id) { return a_.model.node(id).op_type() == part.op; }))
        return true;
    return false;
  }

  const Side &a_, &b_;
  Grouping& grouping_;
};

}  // namespace

void absorb_rewritten(const Side& a, const Side& b, Grouping& grouping) { Absorber(a, b, grouping).run(); }

}  // namespace thence::diff
