// OperationIndex: operations by a hash key, several per key, without an allocation for any. Sixteen bytes per
// key and eight per operation.
#pragma once

#include <cstdint>
#include <vector>

#include "dataflow/value_graph.h"
#include "transfer/thresholds.h"

namespace thence::transfer {

using dataflow::OperationId;
using onnx::none;

class OperationIndex {
 public:
  void reserve(std::size_t count) {
    items_.reserve(count);
    while (slots_.size() < count * 2) grow();
  }

  /// Adds an operation. `visit` sees the operations already under the key, the latest first, until it returns
  /// true.
  template <class Visit>
  void add(std::uint64_t key, OperationId operation, Visit visit) {
    if ((keys_ + 1) * 2 > slots_.size()) grow();
    Slot& slot = slots_[position_of(key)];
    keys_ += slot.latest == none;
    items_.push_back({operation, slot.latest});
    slot = {key, static_cast<std::uint32_t>(items_.size() - 1)};
    std::size_t visited = 0;
    for (std::uint32_t at = items_.back().next; at != none && visited < max_candidates;
         at = items_[at].next, ++visited)
      if (visit(items_[at].operation)) return;
  }
  void add(std::uint64_t key, OperationId operation) {
    add(key, operation, [](OperationId) { return true; });
  }

  /// The operations under a key. False if there are more than `max_candidates`.
  bool find(std::uint64_t key, std::vector<OperationId>& found) const {
    found.clear();
    if (slots_.empty()) return true;
    for (std::uint32_t at = slots_[position_of(key)].latest; at != none; at = items_[at].next) {
      if (found.size() == max_candidates) return false;
      found.push_back(items_[at].operation);
    }
    return true;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t latest = none;  // none: free
  };
  struct Item {
    OperationId operation;
    std::uint32_t next;
  };

  // The slot of a key, or the free one for it. Keys are hashes: their low bits are as good as any.
  std::size_t position_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = key & mask;
    while (slots_[at].latest != none && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? 16 : slots_.size() * 2);
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.latest != none) slots_[position_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::size_t keys_ = 0;
  std::vector<Item> items_;
};

}  // namespace thence::transfer
