#include "match/data_flow.h"

#include <algorithm>

#include "match/thresholds.h"

namespace thence::match {
namespace {

// Whether `step` reads a result of `producer`, directly or through steps that emitted no node.
bool reads_result_of(const capture::Recording& recording, const std::vector<bool>& emitted,
                     std::uint32_t step, std::uint32_t producer) {
  std::vector<std::uint32_t> visited{step};
  for (std::size_t at = 0; at < visited.size() && visited.size() < max_steps_visited; ++at)
    for (const std::uint32_t source : recording.input_producers(visited[at])) {
      if (source == producer) return true;
      if (source == onnx::none || emitted[source]) continue;
      if (std::find(visited.begin(), visited.end(), source) == visited.end()) visited.push_back(source);
    }
  return false;
}

}  // namespace

std::vector<bool> check_data_flow(const capture::Recording& recording, const std::vector<NodeItem>& items,
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
          const std::uint32_t producer_step = steps[producer];
          if (producer_step == step) return bool{agrees[producer]};
          return producer_step != onnx::none && reads_result_of(recording, emitted, step, producer_step);
        });
  }
  return agrees;
}

}  // namespace thence::match
