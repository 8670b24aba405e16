// Grouped: many short lists in two arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace thence::base {

template <class Item>
class Grouped {
 public:
  Grouped() : first_(1, 0) {}

  /// `each(use)` calls `use(group, item)` for all items. It is called twice and must use the same order.
  template <class Each>
  Grouped(std::size_t groups, const Each& each) : first_(groups + 1, 0) {
    each([&](std::size_t group, const Item&) { ++first_[group + 1]; });
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    items_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    each([&](std::size_t group, const Item& item) { items_[next[group]++] = item; });
  }

  std::span<const Item> of(std::size_t group) const {
    return std::span(items_).subspan(first_[group], first_[group + 1] - first_[group]);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<Item> items_;
};

}  // namespace thence::base
