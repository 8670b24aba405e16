// Groups: nodes of A and nodes of B that do the same work.
#pragma once

#include <cstdint>
#include <vector>

#include "diff/matching.h"

namespace thence::diff {

inline constexpr std::uint32_t no_group = onnx::none;

/// Nodes that do the same work, the one that writes the result first. One side is empty if the model has no
/// such nodes.
struct Group {
  std::vector<onnx::NodeId> a, b;
  bool exact = false;                // equal apart from names
  onnx::NodeId anchor = onnx::none;  // of nodes of B alone: the node of A whose result they forward
};

/// Every node of both models is in exactly one group, except constants, which are compared where they are
/// read.
struct Grouping {
  std::vector<Group> groups;
  std::vector<std::uint32_t> of_a, of_b;  // by node

  std::uint32_t add(std::vector<onnx::NodeId> a, std::vector<onnx::NodeId> b, bool exact = false);
  void join_a(std::uint32_t group, onnx::NodeId node);
  void join_b(std::uint32_t group, onnx::NodeId node);
};

Grouping group_nodes(Side& a, Side& b, Matching& matching);

}  // namespace thence::diff
