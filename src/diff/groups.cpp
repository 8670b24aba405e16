#include "diff/groups.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "dataflow/operator_traits.h"
#include "diff/absorb.h"
#include "diff/group_by_uses.h"

namespace thence::diff {
namespace {

using onnx::NodeId;
using onnx::none;
using transfer::Origin;
using transfer::OriginKind;

class Grouper {
 public:
  Grouper(Side& a, Side& b, Matching& matching) : a_(a), b_(b), matching_(matching) { clear(); }

  Grouping run() {
    group_equal_nodes();
    if (are_all_grouped()) return std::move(grouping_);
    clear();
    matching_.find_counterparts();
    group_equal_nodes();
    group_counterparts();
    group_split_nodes();
    group_by_uses(a_, b_, grouping_);
    join_copies_and_casts();
    absorb_rewritten(a_, b_, grouping_);
    add_ungrouped();
    return std::move(grouping_);
  }

 private:
  void clear() {
    grouping_ = {};
    grouping_.of_a.assign(a_.model.node_count(), no_group);
    grouping_.of_b.assign(b_.model.node_count(), no_group);
    merged_a_.clear();
    merged_b_.clear();
  }

  // Whether both models are equal apart from names.
  bool are_all_grouped() const {
    const auto grouped = [](const Side& side, const std::vector<std::uint32_t>& of) {
      for (NodeId id = 0; id < of.size(); ++id)
        if (of[id] == no_group && !side.is_constant(id)) return false;
      return true;
    };
    return grouped(a_, grouping_.of_a) && grouped(b_, grouping_.of_b);
  }

  // Nodes that are equal apart from names. Among several, those of the same module belong together.
  void group_equal_nodes() {
    std::unordered_map<Key, std::vector<NodeId>> ours;
    std::vector<Key> order;
    for (NodeId id = 0; id < b_.model.node_count(); ++id) {
      if (b_.is_constant(id)) continue;
      const Key key = matching_.keys_b().exact(id);
      auto& equal = ours[key];
      if (equal.empty()) order.push_back(key);
      equal.push_back(id);
    }
    for (const Key key : order) {
      const auto theirs = matching_.equal_nodes(key);
      if (theirs.empty()) continue;
      std::vector<NodeId> others;
      for (const auto& each : theirs) others.push_back(each.second);
      match_copies(std::move(others), std::move(ours[key]));
    }
  }

  void match_copies(std::vector<NodeId> a, std::vector<NodeId> b) {
    if (a.size() > 1 || b.size() > 1) {
      std::map<std::string_view, std::vector<NodeId>> by_module;
      for (auto id = a.rbegin(); id != a.rend(); ++id)
        if (const auto module = a_.module(*id)) by_module[*module].push_back(*id);
      for (const NodeId id : b) {
        const auto module = b_.module(id);
        const auto same = module ? by_module.find(*module) : by_module.end();
        if (same == by_module.end() || same->second.empty()) continue;
        grouping_.add({same->second.back()}, {id}, true);
        same->second.pop_back();
      }
      std::erase_if(a, [&](NodeId id) { return grouping_.of_a[id] != no_group; });
      std::erase_if(b, [&](NodeId id) { return grouping_.of_b[id] != no_group; });
    }
    const std::size_t pairs = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < pairs; ++i) grouping_.add({a[i]}, {b[i]}, true);
    // The rest are copies that the other model does not have.
    const auto last = static_cast<std::uint32_t>(grouping_.groups.size() - 1);
    for (std::size_t i = pairs; i < a.size(); ++i) merged_a_.emplace_back(a[i], last);
    for (std::size_t i = pairs; i < b.size(); ++i) merged_b_.emplace_back(b[i], last);
  }

  // Nodes that correspond to nodes of A without being equal.
  void group_counterparts() {
    for (NodeId id = 0; id < b_.model.node_count(); ++id) {
      const NodeId counterpart = matching_.counterpart(id);
      if (grouping_.of_b[id] != no_group || counterpart == none) continue;
      const Origin& origin = matching_.forward(id);
      const bool has_other_operator =
          origin.kind == OriginKind::computes && !matching_.have_same_operator(counterpart, id);
      if (const std::uint32_t taken = grouping_.of_a[counterpart]; taken != no_group) {
        // A further part of what is one node in A.
        if (!grouping_.groups[taken].exact && has_other_operator) grouping_.join_b(taken, id);
        continue;
      }
      std::vector<NodeId> theirs{counterpart};
      if (has_other_operator && origin.nodes.front() == counterpart)
        for (const NodeId node : origin.nodes)
          if (node != counterpart && grouping_.of_a[node] == no_group && !a_.is_constant(node))
            theirs.push_back(node);
      grouping_.add(std::move(theirs), {id});
    }
  }

  // Nodes of A that are several nodes of B.
  void group_split_nodes() {
    for (NodeId id = 0; id < a_.model.node_count(); ++id) {
      const Origin& origin = matching_.backward(id);
      if (grouping_.of_a[id] != no_group || a_.is_constant(id) || origin.kind != OriginKind::computes)
        continue;
      if (grouping_.of_b[origin.nodes.front()] != no_group || b_.is_constant(origin.nodes.front())) continue;
      std::vector<NodeId> ours{origin.nodes.front()};
      // If the operator is the same, other nodes between the same values were added.
      if (!matching_.have_same_operator(id, ours.front()))
        for (const NodeId node : origin.nodes)
          if (node != ours.front() && grouping_.of_b[node] == no_group && !b_.is_constant(node))
            ours.push_back(node);
      grouping_.add({id}, std::move(ours));
    }
  }

  bool is_quantised(const Group& group) const {
    return std::any_of(group.b.begin(), group.b.end(),
                       [&](NodeId id) { return dataflow::is_quantised(b_.model.node(id).op_type()); });
  }

  // Copies, and casts or scales that forward the result of a quantised node.
  void join_copies_and_casts() {
    for (const auto& [id, into] : merged_a_)
      if (grouping_.of_a[id] == no_group) grouping_.join_a(into, id);
    for (const auto& [id, into] : merged_b_)
      if (grouping_.of_b[id] == no_group) grouping_.join_b(into, id);
    for (NodeId id = 0; id < b_.model.node_count(); ++id) {
      const Origin& origin = matching_.forward(id);
      if (grouping_.of_b[id] != no_group || origin.kind != OriginKind::inserted) continue;
      const std::uint32_t into = grouping_.of_a[origin.nodes.front()];
      if (into != no_group && !grouping_.groups[into].exact && is_quantised(grouping_.groups[into]) &&
          !dataflow::is_quantised(b_.model.node(id).op_type()))
        grouping_.join_b(into, id);
    }
  }

  void add_ungrouped() {
    for (NodeId id = 0; id < a_.model.node_count(); ++id)
      if (grouping_.of_a[id] == no_group && !a_.is_constant(id)) grouping_.add({id}, {});
    for (NodeId id = 0; id < b_.model.node_count(); ++id) {
      if (grouping_.of_b[id] != no_group || b_.is_constant(id)) continue;
      Group& added = grouping_.groups[grouping_.add({}, {id})];
      const Origin& origin = matching_.forward(id);
      if (!origin.nodes.empty() && origin.kind != OriginKind::ambiguous) added.anchor = origin.nodes.front();
    }
  }

  Side &a_, &b_;
  Matching& matching_;
  Grouping grouping_;
  // Copies that the other model does not have, and the group of the remaining ones.
  std::vector<std::pair<NodeId, std::uint32_t>> merged_a_, merged_b_;
};

}  // namespace

std::uint32_t Grouping::add(std::vector<NodeId> a, std::vector<NodeId> b, bool exact) {
  const auto number = static_cast<std::uint32_t>(groups.size());
  for (const NodeId node : a) of_a[node] = number;
  for (const NodeId node : b) of_b[node] = number;
  groups.push_back({.a = std::move(a), .b = std::move(b), .exact = exact});
  return number;
}
void Grouping::join_a(std::uint32_t group, NodeId node) {
  groups[group].a.push_back(node);
  of_a[node] = group;
}
void Grouping::join_b(std::uint32_t group, NodeId node) {
  groups[group].b.push_back(node);
  of_b[node] = group;
}

Grouping group_nodes(Side& a, Side& b, Matching& matching) { return Grouper(a, b, matching).run(); }

}  // namespace thence::diff
