// Untangle: blocks of nodes that wait for one another in a circle cannot run one after the other. Some are
// run in pieces: what can run, then what the others need, then the rest.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "edit/main_graph.h"

namespace thence::edit {

inline constexpr std::uint32_t no_call = onnx::none;

/// Lists of nodes by block, each in the order of the file. A block is a call or, without one, a single node.
struct Blocks {
  std::vector<std::uint32_t> calls;
  std::vector<std::uint32_t> first{0};
  std::vector<onnx::NodeId> all;

  std::uint32_t count() const { return static_cast<std::uint32_t>(calls.size()); }
  std::uint32_t add(std::uint32_t call);
  void fill(const std::vector<onnx::NodeId>& nodes, const std::vector<std::uint32_t>& block_of);
  std::span<const onnx::NodeId> nodes(std::uint32_t block) const {
    return std::span(all).subspan(first[block], first[block + 1] - first[block]);
  }
  void clear();
};

/// Which comes before which, as often as it does.
class Arcs {
 public:
  struct Arc {
    std::uint32_t from, to;
  };
  void clear() { arcs_.clear(); }
  void add(std::uint32_t from, std::uint32_t to) { arcs_.push_back({from, to}); }
  /// Once all are there: groups them by where they come from.
  void sort(std::uint32_t count);
  const std::vector<Arc>& all() const { return arcs_; }
  std::span<const Arc> from(std::uint32_t block) const {
    return std::span(arcs_).subspan(first_[block], first_[block + 1] - first_[block]);
  }
  template <class Use>
  void each(std::uint32_t block, Use use) const {
    for (const Arc& arc : from(block)) use(arc.to);
  }

 private:
  std::vector<Arc> arcs_, sorted_;
  std::vector<std::uint32_t> first_;
};

/// Hands over the blocks that are `left`, in an order in which they can run, in pieces where they must be.
void untangle(const MainGraph& graph, const Blocks& blocks, const std::vector<std::uint32_t>& block_of,
              const Arcs& arcs, const std::function<bool(std::uint32_t)>& left,
              const std::function<void(std::uint32_t block, std::span<const onnx::NodeId> piece)>& emit);

}  // namespace thence::edit
