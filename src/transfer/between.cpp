#include "transfer/between.h"

#include <algorithm>
#include <unordered_set>

namespace thence::transfer {

constexpr std::size_t largest_region = 160;  // steps fused into one node

std::optional<std::vector<StepId>> all_between(const Net& net, std::span<const std::uint64_t> starts,
                                               Root end, const Known& known, std::size_t& work_left) {
  if (starts.empty()) return std::nullopt;
  std::vector<StepId> region;
  std::vector<bool> reached(starts.size(), false);
  std::vector<Root> open{end};
  std::unordered_set<Root> seen{end};
  for (std::size_t at = 0; at < open.size(); ++at) {
    const Root root = open[at];
    if (at > largest_region || work_left == 0) return std::nullopt;
    --work_left;
    const std::uint64_t code = at == 0 ? 0 : known.code(root);
    bool is_start = false;
    for (std::size_t i = 0; i < starts.size() && code != 0; ++i)
      if (starts[i] == code) reached[i] = is_start = true;
    if (is_start || net.constant(root) != nullptr) continue;
    const StepId maker = net.maker(root);
    if (maker == none || (at > 0 && known.taken(root))) return std::nullopt;
    region.push_back(maker);
    for (const Root input : net.inputs(net.steps()[maker]))
      if (seen.insert(input).second) open.push_back(input);
  }
  if (std::find(reached.begin(), reached.end(), false) != reached.end()) return std::nullopt;
  return region;
}

}  // namespace thence::transfer
