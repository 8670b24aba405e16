#include "edit/untangle.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

namespace thence::edit {
namespace {

using onnx::NodeId;
using onnx::ValueId;
using Emit = std::function<void(std::uint32_t, std::span<const NodeId>)>;

template <class T>
using Earliest = std::priority_queue<T, std::vector<T>, std::greater<T>>;

// Finds the cycles of blocks (Tarjan's strongly connected components) without recursion. Later blocks are
// found first.
class Circles {
 public:
  Circles(const Arcs& arcs, std::uint32_t count) : arcs_(arcs), number_(count, 0), low_(count, 0) {}

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
        else if (number_[to] != closed)
          low_[block] = std::min(low_[block], number_[to]);
      } else {
        leave();
      }
    }
  }

  std::vector<std::vector<std::uint32_t>> found;

 private:
  static constexpr std::uint32_t closed = onnx::none;
  struct At {
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
    std::vector<std::uint32_t>& circle = found.emplace_back();
    while (true) {
      circle.push_back(open_.back());
      open_.pop_back();
      number_[circle.back()] = closed;
      if (circle.back() == block) break;
    }
    std::sort(circle.begin(), circle.end());
  }

  const Arcs& arcs_;
  std::vector<std::uint32_t> number_, low_;  // 0: not visited
  std::vector<std::uint32_t> open_;
  std::vector<At> path_;
  std::uint32_t numbers_ = 0;
};

// Runs the blocks of one cycle: single nodes first, then blocks that need no value from other blocks, and
// only if there are neither, the largest possible piece of a block.
class Splitter {
 public:
  Splitter(const MainGraph& graph, const Blocks& blocks, const std::vector<std::uint32_t>& block_of,
           const std::vector<std::uint32_t>& circle, const Emit& emit)
      : blocks_(blocks), block_of_(block_of), emit_(emit) {
    for (const std::uint32_t block : circle)
      for (const NodeId id : blocks.nodes(block)) nodes_.try_emplace(id);
    for (const std::uint32_t block : circle) {
      Waiting& waiting = waiting_[block];
      for (const NodeId id : blocks.nodes(block))
        graph.each_read(id, [&](ValueId value) {
          const NodeId from = graph.writer(value);
          const auto known = from == onnx::none ? nodes_.end() : nodes_.find(from);
          if (known == nodes_.end()) return;
          known->second.readers.push_back(id);
          ++nodes_[id].waits;
          waiting.outside += block_of[from] != block;
        });
    }
    for (const std::uint32_t block : circle)
      for (const NodeId id : blocks.nodes(block))
        if (nodes_[id].waits == 0) set_ready(id);
  }

  void run() {
    while (true) {
      if (!loose_.empty()) {
        const NodeId id = take(loose_);
        finish(id);
        emit_(block_of_[id], std::span(&id, 1));
      } else if (!whole_.empty()) {
        const std::uint32_t block = take(whole_);
        std::vector<NodeId> piece;
        for (const NodeId id : blocks_.nodes(block))
          if (!nodes_[id].done) piece.push_back(id);
        for (const NodeId id : piece) finish(id);
        if (!piece.empty()) emit_(block, piece);
      } else if (!startable_.empty()) {
        const NodeId id = take(startable_);
        if (!nodes_[id].done) run_piece(block_of_[id]);
      } else {
        return;
      }
    }
  }

 private:
  struct NodeState {
    std::vector<NodeId> readers;
    std::uint32_t waits = 0;
    bool done = false;
  };
  struct Waiting {
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
    std::vector<NodeId>& ready = waiting_[block].ready;
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
      loose_.push(id);
    } else {
      waiting_[block].ready.push_back(id);
      startable_.push(id);
    }
  }

  void finish(NodeId id) {
    NodeState& state = nodes_[id];
    state.done = true;
    for (const NodeId reader : state.readers) {
      const std::uint32_t block = block_of_[reader];
      if (block != block_of_[id] && --waiting_[block].outside == 0 && blocks_.calls[block] != no_call)
        whole_.push(block);
      NodeState& next = nodes_[reader];
      if (--next.waits == 0 && !next.done) set_ready(reader);
    }
  }

  const Blocks& blocks_;
  const std::vector<std::uint32_t>& block_of_;
  const Emit& emit_;
  std::unordered_map<NodeId, NodeState> nodes_;
  std::unordered_map<std::uint32_t, Waiting> waiting_;  // by block
  Earliest<NodeId> loose_, startable_;
  Earliest<std::uint32_t> whole_;
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

void untangle(const MainGraph& graph, const Blocks& blocks, const std::vector<std::uint32_t>& block_of,
              const Arcs& arcs, const std::function<bool(std::uint32_t)>& left, const Emit& emit) {
  Circles circles(arcs, blocks.count());
  // In reverse, so that the first ready block in the file runs next.
  for (std::uint32_t block = blocks.count(); block-- > 0;)
    if (left(block)) circles.visit(block);
  for (auto circle = circles.found.rbegin(); circle != circles.found.rend(); ++circle) {
    if (circle->size() == 1)
      emit(circle->front(), blocks.nodes(circle->front()));
    else
      Splitter(graph, blocks, block_of, *circle, emit).run();
  }
}

}  // namespace thence::edit
