// Matching: which node of A each node of B stands for.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "diff/keys.h"
#include "transfer/origins.h"

namespace thence::diff {

class Matching {
 public:
  /// Nodes that are the very same have the same exact keys.
  Matching(Side& a, Side& b);

  /// Then what the others stand for: by what they compute, and where that is not the same, by what they read.
  void trace();

  const Keys& keys_a() const { return keys_a_; }
  const Keys& keys_b() const { return keys_b_; }
  /// The nodes of A with this exact key.
  std::span<const std::pair<Key, onnx::NodeId>> same_as(Key key) const { return by_exact_->find(key); }
  /// The node of A that a node of B stands for, which is not just the same; none when there is none.
  onnx::NodeId meant(onnx::NodeId b) const { return meant_[b]; }
  const transfer::Origin& forward(onnx::NodeId b) const { return forward_[b]; }
  const transfer::Origin& backward(onnx::NodeId a) const { return backward_[a]; }

  bool same_operator(onnx::NodeId a, onnx::NodeId b) const {
    return a_.model.node(a).op_type() == b_.model.node(b).op_type();
  }

 private:
  void name_inputs();
  void list_claims();
  void settle(onnx::NodeId id);
  void copy_codes(onnx::NodeId a, onnx::NodeId b);
  void forward_code(onnx::NodeId b);
  onnx::NodeId traced(onnx::NodeId id) const;
  onnx::NodeId alike(onnx::NodeId id, onnx::NodeId traced) const;
  onnx::NodeId by_reading(onnx::NodeId id) const;
  bool is_named_elsewhere(onnx::NodeId a, onnx::NodeId b) const;
  bool is_free(onnx::NodeId a, onnx::NodeId b) const;

  Side &a_, &b_;
  Keys keys_a_, keys_b_;
  std::optional<KeyIndex> by_exact_, by_loose_, by_reading_;  // A's nodes
  std::vector<transfer::Origin> forward_, backward_;          // of B's nodes, and of A's
  std::vector<onnx::NodeId> meant_;                           // by node of B
  std::vector<onnx::NodeId> claimed_;                         // by node of A: who computes the same
  std::unordered_map<std::string_view, onnx::NodeId> named_;  // B's nodes
  std::vector<bool> taken_;                                   // by node of A: some node of B is the very same
};

}  // namespace thence::diff
