#include "edit/split_cycles.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace thence::edit {
namespace {

using onnx::NodeId;
using onnx::ValueId;
using Emit = std::function<void(std::uint32_t, std::span<const NodeId>)>;

template <class T>
using MinQueue = std::priority_queue<T, std::vector<T>, std::greater<T>>;

// Finds the cycles of blocks (Tarjan's strongly connected components) without recursion. Later blocks are
// found first.
class StronglyConnectedComponents {
 public:
  StronglyConnectedComponents(const Arcs& arcs, std::uint32_t count)
      : arcs_(arcs), number_(count, 0), low_(count, 0) {}

  void visit(std::uint32_t start) {
    if (number_[start] != 0) return;
    enter(start);
    while (!path_.empty()) {
      auto& [block, next] = path_.back();
      const std::span<const Arcs::Arc> outgoing = arcs_.from(block);
      if (next < outgoing.size()) {
        const std::uint32_t to = outgoing[next++].to;
        if (number_[to] == 0)
          enter(to);
        else if (number_[to] != finished)
          low_[block] = std::min(low_[block], number_[to]);
      } else {
        leave();
      }
    }
  }

  std::vector<std::vector<std::uint32_t>> found;

 private:
  static constexpr std::uint32_t finished = onnx::none;
  struct Visit {
    std::uint32_t block;
    std::size_t next;
  };
  void enter(std::uint32_t block) {
    number_[block] = low_[block] = ++numbers_;
    open_.push_back(block);
    path_.push_back({block, 0});
  }
  void leave() {
    const std::uint32_t block = path_.back().block;
    path_.pop_back();
    if (!path_.empty()) {
      std::uint32_t& outer = low_[path_.back().block];
      outer = std::min(outer, low_[block]);
    }
    if (low_[block] != number_[block]) return;
    std::vector<std::uint32_t>& component = found.emplace_back();
    while (true) {
      component.push_back(open_.back());
      open_.pop_back();
      number_[component.back()] = finished;
      if (component.back() == block) break;
    }
    std::sort(component.begin(), component.end());
  }

  const Arcs& arcs_;
  std::vector<std::uint32_t> number_, low_;  // 0: not visited
  std::vector<std::uint32_t> open_;
  std::vector<Visit> path_;
  std::uint32_t numbers_ = 0;
};

// Runs the blocks of one cycle: single nodes first, then blocks that need no value from other blocks, and
// only if there are neither, the largest possible piece of a block.
class ComponentSplitter {
 public:
  ComponentSplitter(const MainGraph& graph, const Blocks& blocks, const std::vector<std::uint32_t>& block_of,
                    const std::vector<std::uint32_t>& component, const Emit& emit)
      : blocks_(blocks), block_of_(block_of), emit_(emit) {
    for (const std::uint32_t block : component)
      for (const NodeId id : blocks.nodes(block)) nodes_.try_emplace(id);
    for (const std::uint32_t block : component) {
      PendingBlock& pending_block = pending_blocks_[block];
      for (const NodeId id : blocks.nodes(block))
        graph.for_each_read(id, [&](ValueId value) {
          const NodeId from = graph.producer(value);
          const auto known = from == onnx::none ? nodes_.end() : nodes_.find(from);
          if (known == nodes_.end()) return;
          known->second.consumers.push_back(id);
          ++nodes_[id].pending_inputs;
          pending_block.outside += block_of[from] != block;
        });
    }
    for (const std::uint32_t block : component)
      for (const NodeId id : blocks.nodes(block))
        if (nodes_[id].pending_inputs == 0) set_ready(id);
  }

  void run() {
    while (true) {
      if (!ready_single_nodes_.empty()) {
        const NodeId id = take(ready_single_nodes_);
        finish(id);
        emit_(block_of_[id], std::span(&id, 1));
      } else if (!complete_blocks_.empty()) {
        const std::uint32_t block = take(complete_blocks_);
        std::vector<NodeId> piece;
        for (const NodeId id : blocks_.nodes(block))
          if (!nodes_[id].done) piece.push_back(id);
        for (const NodeId id : piece) finish(id);
        if (!piece.empty()) emit_(block, piece);
      } else if (!ready_call_nodes_.empty()) {
        const NodeId id = take(ready_call_nodes_);
        if (!nodes_[id].done) run_piece(block_of_[id]);
      } else {
        return;
      }
    }
  }

 private:
  struct NodeState {
    std::vector<NodeId> consumers;
    std::uint32_t pending_inputs = 0;
    bool done = false;
  };
  struct PendingBlock {
    std::vector<NodeId> ready;
    std::uint32_t outside = 0;  // missing values of other blocks
  };

  template <class Queue>
  static std::uint32_t take(Queue& queue) {
    const std::uint32_t first = queue.top();
    queue.pop();
    return first;
  }

  void run_piece(std::uint32_t block) {
    std::vector<NodeId> piece;
    std::vector<NodeId>& ready = pending_blocks_[block].ready;
    while (!ready.empty()) {
      const NodeId id = ready.back();
      ready.pop_back();
      if (nodes_[id].done) continue;
      finish(id);
      piece.push_back(id);
    }
    std::sort(piece.begin(), piece.end());
    emit_(block, piece);
  }

  void set_ready(NodeId id) {
    const std::uint32_t block = block_of_[id];
    if (blocks_.calls[block] == no_call) {
      ready_single_nodes_.push(id);
    } else {
      pending_blocks_[block].ready.push_back(id);
      ready_call_nodes_.push(id);
    }
  }

  void finish(NodeId id) {
    NodeState& state = nodes_[id];
    state.done = true;
    for (const NodeId consumer : state.consumers) {
      const std::uint32_t block = block_of_[consumer];
      if (block != block_of_[id] && --pending_blocks_[block].outside == 0 && blocks_.calls[block] != no_call)
        complete_blocks_.push(block);
      NodeState& next = nodes_[consumer];
      if (--next.pending_inputs == 0 && !next.done) set_ready(consumer);
    }
  }

  const Blocks& blocks_;
  const std::vector<std::uint32_t>& block_of_;
  const Emit& emit_;
  std::unordered_map<NodeId, NodeState> nodes_;
  std::unordered_map<std::uint32_t, PendingBlock> pending_blocks_;  // by block
  MinQueue<NodeId> ready_single_nodes_, ready_call_nodes_;
  MinQueue<std::uint32_t> complete_blocks_;
};

}  // namespace

std::uint32_t Blocks::add(std::uint32_t call) {
  calls.push_back(call);
  return count() - 1;
}

void Blocks::fill(const std::vector<NodeId>& nodes, const std::vector<std::uint32_t>& block_of) {
  first.assign(calls.size() + 1, 0);
  for (const NodeId id : nodes) ++first[block_of[id] + 1];
  for (std::size_t block = 0; block < calls.size(); ++block) first[block + 1] += first[block];
  all.resize(nodes.size());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const NodeId id : nodes) all[next[block_of[id]]++] = id;
}

void Blocks::clear() {
  calls.clear();
  first.assign(1, 0);
  all.clear();
}

void Arcs::sort(std::uint32_t count) {
  first_.assign(count + 1, 0);
  for (const Arc& arc : arcs_) ++first_[arc.from + 1];
  for (std::uint32_t block = 0; block < count; ++block) first_[block + 1] += first_[block];
  sorted_.resize(arcs_.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const Arc& arc : arcs_) sorted_[next[arc.from]++] = arc;
  arcs_.swap(sorted_);
}

void split_cycles(const MainGraph& graph, const Blocks& blocks, const std::vector<std::uint32_t>& block_of,
                  const Arcs& arcs, const std::function<bool(std::uint32_t)>& left, const Emit& emit) {
  StronglyConnectedComponents components(arcs, blocks.count());
  // In reverse, so that the first ready block in the file runs next.
  for (std::uint32_t block = blocks.count(); block-- > 0;)
    if (left(block)) components.visit(block);
  for (auto component = components.found.rbegin(); component != components.found.rend(); ++component) {
    if (component->size() == 1)
      emit(component->front(), blocks.nodes(component->front()));
    else
      ComponentSplitter(graph, blocks, block_of, *component, emit).run();
  }
}

}  // namespace thence::edit
