// Steps by a hash, several under one. Sixteen bytes a key and eight a step, and no allocation of its own for
// any.
#pragma once

#include <cstdint>
#include <vector>

#include "transfer/net.h"

namespace thence::transfer {

class StepIndex {
 public:
  static constexpr std::size_t most_alike =
      64;  // candidates looked at for one step: masks and shapes have many

  void reserve(std::size_t count) {
    items_.reserve(count);
    while (slots_.size() < count * 2) grow();
  }

  /// `meet` sees the steps that are there under this key, the latest first, until it says true.
  template <class Meet>
  void add(std::uint64_t key, StepId step, Meet meet) {
    if ((keys_ + 1) * 2 > slots_.size()) grow();
    Slot& slot = slots_[place_of(key)];
    keys_ += slot.latest == none;
    items_.push_back({step, slot.latest});
    slot = {key, static_cast<std::uint32_t>(items_.size() - 1)};
    std::size_t met = 0;
    for (std::uint32_t at = items_.back().next; at != none && met < most_alike; at = items_[at].next, ++met)
      if (meet(items_[at].step)) return;
  }
  void add(std::uint64_t key, StepId step) {
    add(key, step, [](StepId) { return true; });
  }

  /// False when there are more than anybody looks at.
  bool find(std::uint64_t key, std::vector<StepId>& found) const {
    found.clear();
    if (slots_.empty()) return true;
    for (std::uint32_t at = slots_[place_of(key)].latest; at != none; at = items_[at].next) {
      if (found.size() == most_alike) return false;
      found.push_back(items_[at].step);
    }
    return true;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t latest = none;  // none: free
  };
  struct Item {
    StepId step;
    std::uint32_t next;
  };

  // Where a key is, or would be. Keys are hashes: their low bits are as good as any.
  std::size_t place_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = key & mask;
    while (slots_[at].latest != none && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> before(slots_.empty() ? 16 : slots_.size() * 2);
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.latest != none) slots_[place_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::size_t keys_ = 0;
  std::vector<Item> items_;
};

}  // namespace thence::transfer
