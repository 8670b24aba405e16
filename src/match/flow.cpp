#include "match/flow.h"

#include <algorithm>

namespace thence::match {
namespace {

constexpr std::size_t most_looked_at = 48;  // steps, behind one

// Whether `step` reads what `maker` made, directly or through steps that left no node.
bool reads(const capture::Recording& recording, const std::vector<bool>& left_a_node, std::uint32_t step,
           std::uint32_t maker) {
  std::vector<std::uint32_t> behind{step};
  for (std::size_t at = 0; at < behind.size() && behind.size() < most_looked_at; ++at)
    for (const std::uint32_t made_by : recording.makers(behind[at])) {
      if (made_by == maker) return true;
      if (made_by == onnx::none || left_a_node[made_by]) continue;
      if (std::find(behind.begin(), behind.end(), made_by) == behind.end()) behind.push_back(made_by);
    }
  return false;
}

}  // namespace

std::vector<bool> flow_agrees(const capture::Recording& recording, const std::vector<NodeItem>& items,
                              const std::vector<std::uint32_t>& steps) {
  std::vector<bool> left_a_node(recording.steps.size(), false);
  for (const std::uint32_t step : steps)
    if (step != onnx::none) left_a_node[step] = true;
  std::vector<bool> agrees(items.size(), true);
  for (std::size_t item = 0; item < items.size(); ++item) {
    if (steps[item] == onnx::none) {
      agrees[item] = false;
      continue;
    }
    for (const std::uint32_t maker : items[item].made_of) {
      if (items[maker].auxiliary) continue;
      const bool along =
          steps[maker] == steps[item]
              ? agrees[maker]
              : steps[maker] != onnx::none && reads(recording, left_a_node, steps[item], steps[maker]);
      if (along) continue;
      agrees[item] = false;
      break;
    }
  }
  return agrees;
}

}  // namespace thence::match
