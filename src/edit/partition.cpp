#include "edit/partition.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "edit/split_cycles.h"

namespace thence::edit {
namespace {

using onnx::NodeId;
using onnx::ValueId;

template <class T>
using MinQueue = std::priority_queue<T, std::vector<T>, std::greater<T>>;

// Processes groups from the outermost inwards. The blocks of a group are its direct nodes and the whole calls
// in it. They are put in order, and each call becomes a group that is processed later.
class Partitioner {
 public:
  Partitioner(const MainGraph& graph, const CallTree& call_tree)
      : graph_(graph),
        call_tree_(call_tree),
        block_(graph.size(), 0),
        block_of_call_(call_tree.calls.size()) {
    partition_.node_groups.assign(graph.size(), 0);
  }

  Partition run() {
    std::vector<NodeId> all(graph_.size());
    for (NodeId id = 0; id < graph_.size(); ++id) all[id] = id;
    partition_.groups.emplace_back();
    nodes_.push_back(std::move(all));
    for (GroupId group = 0; group < partition_.groups.size(); ++group) {
      const std::vector<NodeId> nodes = std::move(nodes_[group]);
      order(group, nodes);
    }
    return std::move(partition_);
  }

 private:
  // Blocks are numbered by their first nodes, and the first ready block in the file runs next. Similar
  // modules therefore get a similar order.
  void order(GroupId group, const std::vector<NodeId>& nodes) {
    make_blocks(group, nodes);
    make_arcs(group, nodes);
    std::vector<std::uint32_t> pending_inputs(blocks_.count(), 0);
    for (const Arcs::Arc& arc : arcs_.all()) ++pending_inputs[arc.to];
    MinQueue<std::uint32_t> ready;
    for (std::uint32_t block = 0; block < blocks_.count(); ++block)
      if (pending_inputs[block] == 0) ready.push(block);
    std::uint32_t done = 0;
    for (; !ready.empty(); ++done) {
      const std::uint32_t block = ready.top();
      ready.pop();
      emit(group, blocks_.calls[block], blocks_.nodes(block));
      arcs_.for_each_target(block, [&](std::uint32_t next) {
        if (--pending_inputs[next] == 0) ready.push(next);
      });
    }
    if (done == blocks_.count()) return;
    // The remaining blocks are on cycles or depend on cycles.
    split_cycles(
        graph_, blocks_, block_, arcs_, [&](std::uint32_t block) { return pending_inputs[block] != 0; },
        [&](std::uint32_t block, std::span<const NodeId> piece) {
          emit(group, blocks_.calls[block], piece);
        });
  }

  void make_blocks(GroupId group, const std::vector<NodeId>& nodes) {
    const CallId group_call = partition_.groups[group].call;
    const std::uint32_t inner = partition_.groups[group].depth + 1;
    blocks_.clear();
    std::vector<CallId> seen_calls;
    for (const NodeId id : nodes) {
      partition_.node_groups[id] = group;
      const CallId innermost_call = call_tree_.node_calls[id];
      if (innermost_call == group_call) {
        block_[id] = blocks_.add(no_call);
        continue;
      }
      const CallId call = call_tree_.at_depth(innermost_call, inner);
      std::uint32_t& block = block_of_call_[call];
      if (block == 0) {
        block = blocks_.add(call) + 1;
        seen_calls.push_back(call);
      }
      block_[id] = block - 1;
    }
    for (const CallId call : seen_calls) block_of_call_[call] = 0;
    blocks_.fill(nodes, block_);
  }

  void make_arcs(GroupId group, const std::vector<NodeId>& nodes) {
    arcs_.clear();
    for (const NodeId id : nodes)
      graph_.for_each_read(id, [&](ValueId value) {
        const NodeId from = graph_.producer(value);
        if (from != onnx::none && partition_.node_groups[from] == group && block_[from] != block_[id])
          arcs_.add(block_[from], block_[id]);
      });
    arcs_.sort(blocks_.count());
  }

  void emit(GroupId group, CallId call, std::span<const NodeId> nodes) {
    if (call == no_call) {
      for (const NodeId id : nodes) partition_.groups[group].steps.push_back({false, id});
      return;
    }
    const auto inner = static_cast<GroupId>(partition_.groups.size());
    partition_.groups[group].steps.push_back({true, inner});
    partition_.groups.push_back({call, group, partition_.groups[group].depth + 1, {}});
    nodes_.emplace_back(nodes.begin(), nodes.end());
  }

  const MainGraph& graph_;
  const CallTree& call_tree_;
  Partition partition_;
  std::vector<std::vector<NodeId>> nodes_;    // of groups not yet processed, in file order
  std::vector<std::uint32_t> block_;          // by node, within the current group
  std::vector<std::uint32_t> block_of_call_;  // the block number plus one; 0: none yet
  Blocks blocks_;
  Arcs arcs_;
};

}  // namespace

Partition partition_graph(const MainGraph& graph, const CallTree& call_tree) {
  return Partitioner(graph, call_tree).run();
}

}  // namespace thence::edit
