#include "diff/matching.h"

#include <algorithm>
#include <unordered_set>

#include "diff/thresholds.h"

namespace thence::diff {
namespace {

using onnx::NodeId;
using onnx::none;
using transfer::Origin;
using transfer::OriginKind;

template <class KeyOf>
KeyIndex indexed(const Side& side, KeyOf key_of) {
  std::vector<std::pair<Key, NodeId>> nodes;
  for (NodeId id = 0; id < side.model.node_count(); ++id)
    if (!side.is_constant(id)) nodes.emplace_back(key_of(id), id);
  return KeyIndex(std::move(nodes));
}

}  // namespace

Matching::Matching(Side& a, Side& b) : a_(a), b_(b), keys_a_(a), keys_b_(b) {
  keys_a_.run();
  pair_renamed_inputs();
  keys_b_.run();
  by_exact_.emplace(indexed(a_, [&](NodeId id) { return keys_a_.exact(id); }));
}

void Matching::find_counterparts() {
  forward_ = transfer::origins_of(a_.graph, b_.graph, transfer::match_values(a_.graph, b_.graph));
  backward_ = transfer::origins_of(b_.graph, a_.graph, transfer::match_values(b_.graph, a_.graph));
  list_matched_nodes();
  by_key_without_views_.emplace(indexed(a_, [&](NodeId id) { return keys_a_.key_without_views(id); }));
  std::vector<std::pair<Key, NodeId>> reading;
  for (NodeId id = 0; id < a_.model.node_count(); ++id)
    keys_a_.each_read(id, [&](Key key, bool) { reading.emplace_back(key, id); });
  by_input_.emplace(std::move(reading));
  counterparts_.assign(b_.model.node_count(), none);
  keys_b_.run([&](NodeId id) { find_counterpart(id); });
}

// Pairs renamed graph inputs by position.
void Matching::pair_renamed_inputs() {
  const auto unshared_inputs = [](Side& side, const Side& other) {
    std::unordered_set<std::string_view> known;
    for (const onnx::ValueId value : other.model.graphs()[0].inputs)
      if (value != none) known.insert(other.model.value_name(value));
    std::vector<onnx::ValueId> found;
    for (const onnx::ValueId value : side.model.graphs()[0].inputs)
      if (value != none && side.constants.of(value) == nullptr &&
          !known.contains(side.model.value_name(value)))
        found.push_back(value);
    return found;
  };
  const auto ours = unshared_inputs(b_, a_), theirs = unshared_inputs(a_, b_);
  if (ours.size() != theirs.size()) return;
  for (std::size_t i = 0; i < ours.size(); ++i) keys_b_.set_code(ours[i], keys_a_.code(theirs[i]));
}

// Lists the nodes of A that already have a node in B.
void Matching::list_matched_nodes() {
  for (NodeId id = 0; id < b_.model.node_count(); ++id)
    if (const std::string_view name = b_.model.node(id).name(); !name.empty()) by_name_.emplace(name, id);
  computing_node_.assign(a_.model.node_count(), none);
  for (NodeId id = 0; id < b_.model.node_count(); ++id) {
    if (forward_[id].kind != OriginKind::computes) continue;
    const NodeId theirs = forward_[id].nodes.front();
    if (computing_node_[theirs] == none || !have_same_operator(theirs, computing_node_[theirs]))
      computing_node_[theirs] = id;
  }
  is_taken_.assign(a_.model.node_count(), false);
  for (NodeId id = 0; id < b_.model.node_count(); ++id)
    for (const auto& [key, node] : equal_nodes(keys_b_.exact(id))) {
      if (is_taken_[node]) break;  // the others are taken, too
      is_taken_[node] = true;
    }
}

// Finds the counterpart of a node of B, unless A has an equal node. Its outputs get the codes of the
// counterpart's outputs.
void Matching::find_counterpart(NodeId id) {
  if (b_.is_constant(id) || !equal_nodes(keys_b_.exact(id)).empty()) return;
  counterparts_[id] = same_apart_from_views(id, computed_node(id));
  if (counterparts_[id] == none) counterparts_[id] = computed_node(id);
  if (counterparts_[id] == none) counterparts_[id] = find_by_inputs(id);
  if (counterparts_[id] != none) {
    is_taken_[counterparts_[id]] = true;
    copy_codes(counterparts_[id], id);
  } else if (forward_[id].kind == OriginKind::inserted) {
    forward_code(id);
  }
}

void Matching::copy_codes(NodeId a, NodeId b) {
  const auto theirs = a_.model.node(a).outputs(), ours = b_.model.node(b).outputs();
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i)
    if (ours[i] != none && theirs[i] != none) keys_b_.set_code(ours[i], keys_a_.code(theirs[i]));
}

// The output of an inserted node gets the code of the input that it forwards.
void Matching::forward_code(NodeId b) {
  const auto outputs = b_.model.node(b).outputs();
  if (outputs.empty() || outputs[0] == none) return;
  for (const onnx::ValueId input : b_.model.node(b).inputs())
    if (input != none && b_.graph.canonical(input) == b_.graph.canonical(outputs[0]))
      keys_b_.set_code(outputs[0], keys_b_.code(input));
}

// The node of A that it computes. Of the parts of a split operation only the one with the same operator
// counts, if there is one.
NodeId Matching::computed_node(NodeId id) const {
  const Origin& origin = forward_[id];
  const bool computes = origin.kind == OriginKind::computes || origin.kind == OriginKind::view;
  if (!computes || origin.nodes.empty()) return none;
  const NodeId theirs = origin.nodes.front(), computing = computing_node_[theirs];
  if (a_.is_constant(theirs)) return none;
  if (!have_same_operator(theirs, id) && computing != none && computing != id &&
      have_same_operator(theirs, computing))
    return none;
  return origin.kind == OriginKind::view && is_named_elsewhere(theirs, id) ? none : theirs;
}

// A node of A that is equal apart from views; among several, the one that it computes.
NodeId Matching::same_apart_from_views(NodeId id, NodeId computed_node) const {
  const auto found = by_key_without_views_->find(keys_b_.key_without_views(id));
  if (found.empty()) return none;
  for (const auto& [key, node] : found.first(std::min(found.size(), max_candidates)))
    if (node == computed_node) return computed_node;
  return found.front().second;
}

// In a chain of equal views only names may distinguish them.
bool Matching::is_named_elsewhere(NodeId a, NodeId b) const {
  const auto named = by_name_.find(a_.model.node(a).name());
  return named != by_name_.end() && named->second != b && have_same_operator(a, named->second);
}

bool Matching::is_free(NodeId a, NodeId b) const {
  if (a_.graph.is_view(a) && is_named_elsewhere(a, b)) return false;
  if (is_taken_[a] || (computing_node_[a] != none && computing_node_[a] != b)) return false;
  const Origin& back = backward_[a];
  return back.kind != OriginKind::computes || back.nodes.front() == b;
}

// The only node of the same operator that reads most of the same values, preferably in the same module.
NodeId Matching::find_by_inputs(NodeId id) const {
  std::unordered_map<NodeId, unsigned> common;
  keys_b_.each_read(id, [&](Key key, bool) {
    const auto consumers = by_input_->find(key);
    if (consumers.size() > max_candidates) return;
    for (const auto& [same, node] : consumers)
      if (is_free(node, id)) ++common[node];
  });
  NodeId best = none;
  std::pair<bool, unsigned> most{false, 0};
  bool is_unique = true;
  const auto module = b_.module(id);
  for (const auto& [node, count] : common) {
    const auto other = a_.module(node);
    const bool both = module && other;
    if (are_certainly_in_different_modules(a_, node, b_, id)) continue;
    const std::pair<bool, unsigned> rank{both && *module == *other, count};
    if (rank > most || best == none) {
      best = node, most = rank, is_unique = true;
    } else if (rank == most) {
      is_unique = false;
    }
  }
  return is_unique ? best : none;
}

}  // namespace thence::diff
