#include "diff/absorb.h"

#include <algorithm>

#include "dataflow/operator_traits.h"
#include "dataflow/primitive_ops.h"
#include "diff/readers.h"

namespace thence::diff {
namespace {

using dataflow::has_trait;
using dataflow::Trait;

using onnx::NodeId;
using onnx::none;

class Absorber {
 public:
  Absorber(const Side& a, const Side& b, Grouping& grouping) : a_(a), b_(b), all_(grouping) {}

  void run() {
    absorb(a_, all_.of_a, &Group::a);
    absorb(b_, all_.of_b, &Group::b);
    take_scales();
    absorb_views(a_, all_.of_a, &Group::a);
    absorb_views(b_, all_.of_b, &Group::b);
  }

 private:
  // Nodes whose result goes into one rewritten group alone were rewritten with it.
  void absorb(const Side& of_side, std::vector<std::uint32_t>& of, std::vector<NodeId> Group::*side) {
    const Readers readers(of_side.model);
    for (NodeId id = of_side.model.node_count(); id-- > 0;) {
      if (of[id] != no_group || readers.leaves(id) || of_side.is_constant(id)) continue;
      std::uint32_t into = no_group;
      bool one = true;
      for (const NodeId reader : readers.of(id)) {
        one = one && of[reader] != no_group && (into == no_group || into == of[reader]);
        into = of[reader];
      }
      if (into == no_group || !one || !is_rewritten(all_.groups[into])) continue;
      if (side == &Group::a && is_scale(a_, id) && !takes_scale(all_.groups[into])) continue;
      (all_.groups[into].*side).push_back(id);
      of[id] = into;
    }
  }

  // Reshapes and transposes next to one that is another now: what they are together is what changed. And what
  // gives the result of a rewrite its form is part of that.
  void absorb_views(const Side& side, std::vector<std::uint32_t>& of, std::vector<NodeId> Group::*nodes) {
    const Readers readers(side.model);
    const auto join = [&](NodeId id, NodeId neighbour, bool is_last) {
      if (neighbour == none || of[id] != no_group || !reshapes(side, id)) return;
      const std::uint32_t into = of[neighbour];
      if (into == no_group) return;
      const bool among_views = is_changed_view(all_.groups[into]);
      if (!among_views && !(is_last && is_rewritten(all_.groups[into]))) return;
      std::vector<NodeId>& members = all_.groups[into].*nodes;
      if (members.size() >= most_views) return;
      members.insert(is_last && among_views ? members.begin() : members.end(), id);
      of[id] = into;
    };
    for (NodeId id = 0; id < of.size(); ++id) {
      const onnx::ValueId value =
          side.model.node(id).inputs().empty() ? none : side.model.node(id).inputs()[0];
      const onnx::Producer maker = value == none ? onnx::Producer() : side.model.producer(value);
      if (maker.kind == onnx::Producer::Kind::node && readers.of(maker.index).size() == 1)
        join(id, maker.index, true);
    }
    for (auto id = static_cast<NodeId>(of.size()); id-- > 0;)
      if (readers.of(id).size() == 1 && !readers.leaves(id)) join(id, readers.of(id).front(), false);
  }

  static bool reshapes(const Side& side, NodeId id) {
    return has_trait(side.model.node(id), Trait::reshapes);
  }
  bool is_changed_view(const Group& group) const {
    return !group.exact && !group.a.empty() && !group.b.empty() && reshapes(a_, group.a.front()) &&
           reshapes(b_, group.b.front());
  }

  bool is_rewritten(const Group& group) const {
    return !group.exact && !group.a.empty() && !group.b.empty() &&
           (group.a.size() > 1 || group.b.size() > 1 ||
            a_.model.node(group.a.front()).op_type() != b_.model.node(group.b.front()).op_type());
  }

  // A scale after a fused result, which no reader took, was fused with it.
  void take_scales() {
    for (NodeId id = 0; id < a_.model.node_count(); ++id) {
      if (all_.of_a[id] != no_group || !is_scale(a_, id)) continue;
      const NodeId producer = a_.graph.producer_node(a_.graph.canonical(a_.model.node(id).outputs()[0]));
      const std::uint32_t into = producer == none ? no_group : all_.of_a[producer];
      if (into != no_group && is_rewritten(all_.groups[into]) && takes_scale(all_.groups[into]))
        all_.join_a(into, id);
    }
  }

  static bool is_scale(const Side& side, NodeId id) {
    return side.graph.is_view(id) && has_trait(side.model.node(id), Trait::scales);
  }

  // Whether an operator of B may do more than what is there of A: it has a factor of its own, or is none that
  // is just these operators in a row.
  bool takes_scale(const Group& group) const {
    constexpr std::size_t most = 256;  // a larger group is no operator's work
    if (group.a.size() > most) return false;
    const onnx::Node node = b_.model.node(group.b.front());
    if (const auto factor = node.attribute("alpha"); factor && factor->f != 1) return true;
    for (const dataflow::PrimitiveOp& part : dataflow::primitives_of(node))
      if (std::none_of(group.a.begin(), group.a.end(),
                       [&](NodeId id) { return a_.model.node(id).op_type() == part.op; }))
        return true;
    return false;
  }

  static constexpr std::size_t most_views = 64;  // in a row

  const Side &a_, &b_;
  Grouping& all_;
};

}  // namespace

void absorb_rewritten(const Side& a, const Side& b, Grouping& grouping) { Absorber(a, b, grouping).run(); }

}  // namespace thence::diff
