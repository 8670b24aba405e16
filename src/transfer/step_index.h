// Steps by a hash, several under one.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "transfer/net.h"

namespace thence::transfer {

class StepIndex {
 public:
  static constexpr std::size_t most_alike =
      64;  // candidates looked at for one step: masks and shapes have many

  void add(std::uint64_t key, StepId step) {
    const auto [entry, fresh] = first_.try_emplace(key, static_cast<std::uint32_t>(items_.size()));
    items_.push_back({step, fresh ? none : entry->second});
    entry->second = static_cast<std::uint32_t>(items_.size() - 1);
  }
  /// False when there are more than anybody looks at.
  bool find(std::uint64_t key, std::vector<StepId>& found) const {
    found.clear();
    const auto entry = first_.find(key);
    if (entry == first_.end()) return true;
    for (std::uint32_t at = entry->second; at != none; at = items_[at].next) {
      if (found.size() == most_alike) return false;
      found.push_back(items_[at].step);
    }
    return true;
  }

 private:
  struct Item {
    StepId step;
    std::uint32_t next;
  };
  std::unordered_map<std::uint64_t, std::uint32_t> first_;
  std::vector<Item> items_;
};

}  // namespace thence::transfer
