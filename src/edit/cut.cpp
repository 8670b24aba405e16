#include "edit/cut.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "edit/untangle.h"

namespace thence::edit {
namespace {

using onnx::NodeId;
using onnx::ValueId;

template <class T>
using Earliest = std::priority_queue<T, std::vector<T>, std::greater<T>>;

// Processes groups from the outermost inwards. The blocks of a group are its direct nodes and the whole calls
// in it. They are put in order, and each call becomes a group that is processed later.
class Cutter {
 public:
  Cutter(const MainGraph& graph, const Places& places)
      : graph_(graph), places_(places), block_(graph.size(), 0), block_of_call_(places.calls.size()) {
    cut_.holding.assign(graph.size(), 0);
  }

  Cut run() {
    std::vector<NodeId> all(graph_.size());
    for (NodeId id = 0; id < graph_.size(); ++id) all[id] = id;
    cut_.groups.emplace_back();
    nodes_.push_back(std::move(all));
    for (GroupId group = 0; group < cut_.groups.size(); ++group) {
      const std::vector<NodeId> nodes = std::move(nodes_[group]);
      order(group, nodes);
    }
    return std::move(cut_);
  }

 private:
  // Blocks are numbered by their first nodes, and the first ready block in the file runs next. Similar
  // modules therefore get a similar order.
  void order(GroupId group, const std::vector<NodeId>& nodes) {
    make_blocks(group, nodes);
    make_arcs(group, nodes);
    std::vector<std::uint32_t> waits(blocks_.count(), 0);
    for (const Arcs::Arc& arc : arcs_.all()) ++waits[arc.to];
    Earliest<std::uint32_t> ready;
    for (std::uint32_t block = 0; block < blocks_.count(); ++block)
      if (waits[block] == 0) ready.push(block);
    std::uint32_t done = 0;
    for (; !ready.empty(); ++done) {
      const std::uint32_t block = ready.top();
      ready.pop();
      emit(group, blocks_.calls[block], blocks_.nodes(block));
      arcs_.each(block, [&](std::uint32_t next) {
        if (--waits[next] == 0) ready.push(next);
      });
    }
    if (done == blocks_.count()) return;
    // The remaining blocks are on cycles or depend on cycles.
    untangle(
        graph_, blocks_, block_, arcs_, [&](std::uint32_t block) { return waits[block] != 0; },
        [&](std::uint32_t block, std::span<const NodeId> piece) {
          emit(group, blocks_.calls[block], piece);
        });
  }

  void make_blocks(GroupId group, const std::vector<NodeId>& nodes) {
    const CallId here = cut_.groups[group].call;
    const std::uint32_t inner = cut_.groups[group].depth + 1;
    blocks_.clear();
    std::vector<CallId> met;
    for (const NodeId id : nodes) {
      cut_.holding[id] = group;
      const CallId place = places_.of[id];
      if (place == here) {
        block_[id] = blocks_.add(no_call);
        continue;
      }
      const CallId call = places_.at_depth(place, inner);
      std::uint32_t& block = block_of_call_[call];
      if (block == 0) {
        block = blocks_.add(call) + 1;
        met.push_back(call);
      }
      block_[id] = block - 1;
    }
    for (const CallId call : met) block_of_call_[call] = 0;
    blocks_.fill(nodes, block_);
  }

  void make_arcs(GroupId group, const std::vector<NodeId>& nodes) {
    arcs_.clear();
    for (const NodeId id : nodes)
      graph_.each_read(id, [&](ValueId value) {
        const NodeId from = graph_.writer(value);
        if (from != onnx::none && cut_.holding[from] == group && block_[from] != block_[id])
          arcs_.add(block_[from], block_[id]);
      });
    arcs_.sort(blocks_.count());
  }

  void emit(GroupId group, CallId call, std::span<const NodeId> nodes) {
    if (call == no_call) {
      for (const NodeId id : nodes) cut_.groups[group].steps.push_back({false, id});
      return;
    }
    const auto inner = static_cast<GroupId>(cut_.groups.size());
    cut_.groups[group].steps.push_back({true, inner});
    cut_.groups.push_back({call, group, cut_.groups[group].depth + 1, {}});
    nodes_.emplace_back(nodes.begin(), nodes.end());
  }

  const MainGraph& graph_;
  const Places& places_;
  Cut cut_;
  std::vector<std::vector<NodeId>> nodes_;    // of groups not yet processed, in file order
  std::vector<std::uint32_t> block_;          // by node, within the current group
  std::vector<std::uint32_t> block_of_call_;  // the block number plus one; 0: none yet
  Blocks blocks_;
  Arcs arcs_;
};

}  // namespace

Cut cut(const MainGraph& graph, const Places& places) { return Cutter(graph, places).run(); }

}  // namespace thence::edit
