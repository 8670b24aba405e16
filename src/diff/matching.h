// Matching: the node of A that each node of B corresponds to.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "diff/keys.h"
#include "transfer/origins.h"

namespace thence::diff {

class Matching {
 public:
  /// Computes the keys. Nodes that are equal apart from names have the same exact key.
  Matching(Side& a, Side& b);

  /// Finds counterparts of the other nodes: by what they compute, or else by what they read.
  void find_counterparts();

  const Keys& keys_a() const { return keys_a_; }
  const Keys& keys_b() const { return keys_b_; }
  /// The nodes of A with this exact key.
  std::span<const std::pair<Key, onnx::NodeId>> equal_nodes(Key key) const { return by_exact_->find(key); }
  /// The node of A that a node of B corresponds to without being equal; none if there is none.
  onnx::NodeId counterpart(onnx::NodeId b) const { return counterparts_[b]; }
  const transfer::Origin& forward(onnx::NodeId b) const { return forward_[b]; }
  const transfer::Origin& backward(onnx::NodeId a) const { return backward_[a]; }

  bool have_same_operator(onnx::NodeId a, onnx::NodeId b) const {
    return a_.model.node(a).op_type() == b_.model.node(b).op_type();
  }

 private:
  void pair_renamed_inputs();
  void list_matched_nodes();
  void find_counterpart(onnx::NodeId id);
  void copy_codes(onnx::NodeId a, onnx::NodeId b);
  void forward_code(onnx::NodeId b);
  onnx::NodeId computed_node(onnx::NodeId id) const;
  onnx::NodeId same_apart_from_views(onnx::NodeId id, onnx::NodeId computed_node) const;
  onnx::NodeId find_by_inputs(onnx::NodeId id) const;
  bool is_named_elsewhere(onnx::NodeId a, onnx::NodeId b) const;
  bool is_free(onnx::NodeId a, onnx::NodeId b) const;

  Side &a_, &b_;
  Keys keys_a_, keys_b_;
  std::optional<KeyIndex> by_exact_, by_key_without_views_, by_input_;  // A's nodes
  std::vector<transfer::Origin> forward_, backward_;                    // of B's nodes, and of A's
  std::vector<onnx::NodeId> counterparts_;                              // by node of B
  std::vector<onnx::NodeId> computing_node_;  // by node of A: the node of B that computes it
  std::unordered_map<std::string_view, onnx::NodeId> by_name_;  // B's nodes
  std::vector<bool> is_taken_;  // by node of A: whether a node of B is equal, or its counterpart
};

}  // namespace thence::diff
