#include "match/flow.h"

#include <algorithm>

#include "match/thresholds.h"

namespace thence::match {
namespace {

// Whether `step` reads a result of `producer`, directly or through steps that emitted no node.
bool reads(const capture::Recording& recording, const std::vector<bool>& emitted, std::uint32_t step,
           std::uint32_t producer) {
  std::vector<std::uint32_t> behind{step};
  for (std::size_t at = 0; at < behind.size() && behind.size() < most_steps_behind; ++at)
    for (const std::uint32_t maker : recording.makers(behind[at])) {
      if (maker == producer) return true;
      if (maker == onnx::none || emitted[maker]) continue;
      if (std::find(behind.begin(), behind.end(), maker) == behind.end()) behind.push_back(maker);
    }
  return false;
}

}  // namespace

std::vector<bool> flow_agrees(const capture::Recording& recording, const std::vector<NodeItem>& items,
                              const std::vector<std::uint32_t>& steps) {
  std::vector<bool> emitted(recording.steps.size(), false);
  for (const std::uint32_t step : steps)
    if (step != onnx::none) emitted[step] = true;
  std::vector<bool> agrees(items.size(), false);
  for (std::size_t item = 0; item < items.size(); ++item) {
    const std::uint32_t step = steps[item];
    if (step == onnx::none) continue;
    agrees[item] =
        std::all_of(items[item].producers.begin(), items[item].producers.end(), [&](std::uint32_t producer) {
          if (items[producer].is_shape_or_constant) return true;
          const std::uint32_t other = steps[producer];
          if (other == step) return bool{agrees[producer]};
          return other != onnx::none && reads(recording, emitted, step, other);
        });
  }
  return agrees;
}

}  // namespace thence::match
