#include "diff/group_by_uses.h"

#include <algorithm>

#include "diff/node_uses.h"
#include "diff/thresholds.h"

namespace thence::diff {
namespace {

using dataflow::Trait;
using onnx::NodeId;
using onnx::none;

NodeId producer_of(const Side& side, onnx::ValueId value) {
  if (value == none) return none;
  const onnx::Producer producer = side.model.producer(value);
  return producer.kind == onnx::Producer::Kind::node ? producer.index : none;
}

class UseGrouper {
 public:
  UseGrouper(const Side& a, const Side& b, Grouping& grouping)
      : a_(a), b_(b), grouping_(grouping), uses_(b.model) {}

  // In reverse order: a group that is found decides about what its nodes read.
  void run() {
    for (NodeId id = b_.model.node_count(); id-- > 0;) {
      if (grouping_.of_b[id] != no_group || b_.is_constant(id)) continue;
      const auto uses = uses_.of(id);
      for (const NodeId use : uses.first(std::min(uses.size(), max_followed_uses)))
        if (const NodeId found = counterpart(id, use); found != none) {
          grouping_.add({found}, {id});
          break;
        }
    }
  }

 private:
  // What the partner of a use reads in the place of a node of B; none unless it is unique.
  NodeId counterpart(NodeId id, NodeId use) const {
    if (grouping_.of_b[use] == no_group) return none;
    const Group& group = grouping_.groups[grouping_.of_b[use]];
    if (group.a.size() != 1 || group.b.size() != 1) return none;
    const auto theirs = a_.model.node(group.a.front()).inputs(), ours = b_.model.node(use).inputs();
    return b_.graph.has_trait(use, Trait::commutative) ? only_operand(id, theirs)
                                                       : same_operand(id, ours, theirs);
  }

  NodeId only_operand(NodeId id, std::span<const onnx::ValueId> theirs) const {
    if (theirs.size() > max_operands) return none;
    NodeId found = none;
    for (const onnx::ValueId value : theirs)
      if (const NodeId node = producer_of(a_, value); may_match(node, id) && node != found) {
        if (found != none) return none;
        found = node;
      }
    return found;
  }

  NodeId same_operand(NodeId id, std::span<const onnx::ValueId> ours,
                      std::span<const onnx::ValueId> theirs) const {
    for (std::size_t i = 0; i < std::min({ours.size(), theirs.size(), max_operands}); ++i)
      if (producer_of(b_, ours[i]) == id)
        if (const NodeId node = producer_of(a_, theirs[i]); may_match(node, id)) return node;
    return none;
  }

  bool may_match(NodeId a, NodeId b) const {
    return a != none && grouping_.of_a[a] == no_group && !a_.is_constant(a) &&
           a_.graph.op(a).name == b_.graph.op(b).name && !are_certainly_in_different_modules(a_, a, b_, b);
  }

  const Side &a_, &b_;
  Grouping& grouping_;
  NodeUses uses_;
};

}  // namespace

void group_by_uses(const Side& a, const Side& b, Grouping& grouping) { UseGrouper(a, b, grouping).run(); }

}  // namespace thence::diff
