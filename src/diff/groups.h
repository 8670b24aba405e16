// Groups: which nodes of A do the work of which nodes of B.
#pragma once

#include <cstdint>
#include <vector>

#include "diff/matching.h"

namespace thence::diff {

inline constexpr std::uint32_t no_group = onnx::none;

/// Nodes that do the same work, the one whose first output is the result first; of one side none, when the
/// other one has nothing like it.
struct Group {
  std::vector<onnx::NodeId> a, b;
  bool exact = false;                // the very same, but for names
  onnx::NodeId anchor = onnx::none;  // of nodes that B alone has: the node of A whose result they carry
};

/// Every node of both models is in one group; but Constant nodes, which are compared where they are read.
struct Grouping {
  std::vector<Group> groups;
  std::vector<std::uint32_t> of_a, of_b;  // by node

  std::uint32_t add(std::vector<onnx::NodeId> a, std::vector<onnx::NodeId> b, bool exact = false);
  void join_a(std::uint32_t group, onnx::NodeId node);
  void join_b(std::uint32_t group, onnx::NodeId node);
};

Grouping group_nodes(Side& a, Side& b, Matching& matching);

}  // namespace thence::diff
