#include "match/order.h"

#include <algorithm>

namespace thence::match {

std::vector<Anchor> anchors_of(const std::vector<NodeItem>& items,
                               const std::vector<std::vector<std::uint32_t>>& readers) {
  std::vector<std::uint32_t> times(readers.size(), 0);
  for (const NodeItem& item : items)
    for (const std::uint32_t parameter : item.parameters) ++times[parameter];
  std::vector<Anchor> anchors;
  for (std::uint32_t item = 0; item < items.size(); ++item)
    for (const std::uint32_t parameter : items[item].parameters)
      if (times[parameter] == 1 && readers[parameter].size() == 1) {
        anchors.push_back({item, readers[parameter].front()});
        break;
      }
  return anchors;
}

std::vector<Anchor> in_step(const std::vector<Anchor>& anchors) {
  std::vector<std::uint32_t> ends, before(anchors.size(), onnx::none);  // patience sorting
  for (std::uint32_t i = 0; i < anchors.size(); ++i) {
    // A step may leave several nodes that read parameters: equal steps are in order, too.
    const auto place = std::upper_bound(ends.begin(), ends.end(), i, [&](std::uint32_t a, std::uint32_t b) {
      return anchors[a].step < anchors[b].step;
    });
    if (place != ends.begin()) before[i] = *(place - 1);
    if (place == ends.end())
      ends.push_back(i);
    else
      *place = i;
  }
  std::vector<Anchor> chain;
  for (std::uint32_t i = ends.empty() ? onnx::none : ends.back(); i != onnx::none; i = before[i])
    chain.push_back(anchors[i]);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

std::vector<NodeItem> reordered(std::vector<NodeItem> items, std::vector<Anchor> anchors) {
  std::stable_sort(anchors.begin(), anchors.end(),
                   [](const Anchor& a, const Anchor& b) { return a.step < b.step; });
  std::vector<std::uint32_t> order, place(items.size(), onnx::none);
  struct Open {
    std::uint32_t item;
    std::size_t next;
  };
  std::vector<Open> open;
  std::vector<bool> seen(items.size(), false);
  const auto bring = [&](std::uint32_t wanted) {
    if (seen[wanted]) return;
    seen[wanted] = true;
    open.push_back({wanted, 0});
    while (!open.empty()) {
      const std::uint32_t item = open.back().item;
      const auto& makers = items[item].made_of;
      if (open.back().next < makers.size()) {
        const std::uint32_t maker = makers[open.back().next++];
        if (seen[maker]) continue;
        seen[maker] = true;
        open.push_back({maker, 0});
        continue;
      }
      place[item] = static_cast<std::uint32_t>(order.size());
      order.push_back(item);
      open.pop_back();
    }
  };
  for (const Anchor& anchor : anchors) bring(anchor.item);
  for (std::uint32_t item = 0; item < items.size(); ++item) bring(item);
  std::vector<NodeItem> sorted;
  sorted.reserve(items.size());
  for (const std::uint32_t item : order) {
    sorted.push_back(std::move(items[item]));
    for (std::uint32_t& maker : sorted.back().made_of) maker = place[maker];
  }
  return sorted;
}

}  // namespace thence::match
