// Splits cycles: blocks of nodes that form a dependency cycle cannot run one after the other. Some of them
// are split: the nodes that can run, then the nodes that other blocks need, then the rest.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "edit/main_graph.h"

namespace thence::edit {

inline constexpr std::uint32_t no_call = onnx::none;

/// The nodes of each block, in file order. A block is a call, or a single node outside of any call.
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

/// Arcs from a block to a later one, with repetitions.
class Arcs {
 public:
  struct Arc {
    std::uint32_t from, to;
  };
  void clear() { arcs_.clear(); }
  void add(std::uint32_t from, std::uint32_t to) { arcs_.push_back({from, to}); }
  /// Groups arcs by source. Call it after all arcs are added.
  void sort(std::uint32_t count);
  const std::vector<Arc>& all() const { return arcs_; }
  std::span<const Arc> from(std::uint32_t block) const {
    return std::span(arcs_).subspan(first_[block], first_[block + 1] - first_[block]);
  }
  template <class Use>
  void for_each_target(std::uint32_t block, Use use) const {
    for (const Arc& arc : from(block)) use(arc.to);
  }

 private:
  std::vector<Arc> arcs_, sorted_;
  std::vector<std::uint32_t> first_;
};

/// Emits the blocks for which `left` is true, in a valid execution order, split into pieces if necessary.
void split_cycles(const MainGraph& graph, const Blocks& blocks, const std::vector<std::uint32_t>& block_of,
                  const Arcs& arcs, const std::function<bool(std::uint32_t)>& left,
                  const std::function<void(std::uint32_t block, std::span<const onnx::NodeId> piece)>& emit);

}  // namespace thence::edit
