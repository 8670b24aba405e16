// BuilderStacks: the scopes that a tool which builds graphs wrote into the metadata of nodes, in the form of
// scopes in names: "/model/layers.0/self_attn".
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "onnx/model.h"

namespace thence::hierarchy {

class BuilderStacks {
 public:
  BuilderStacks() = default;
  explicit BuilderStacks(const onnx::Model& model);

  /// Whether no node has one.
  bool empty() const { return texts_.empty(); }
  /// The scope of a node; empty for the root.
  std::optional<std::string_view> of(onnx::NodeId node) const {
    return empty() ? std::nullopt : by_node_[node];
  }

 private:
  std::deque<std::string> texts_;
  std::vector<std::optional<std::string_view>> by_node_;
};

}  // namespace thence::hierarchy
