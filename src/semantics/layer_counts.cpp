#include "semantics/layer_counts.h"

#include <algorithm>

namespace thence::semantics {

LayerCounts::LayerCounts(const Map& map) {
  for (modules::ModuleId module = 0; module < map.tree().size(); ++module)
    if (const std::vector<modules::LayerStep> layers = map.layers(module); !layers.empty()) {
      std::uint64_t& count = counts_[layers.front().container];
      count = std::max(count, layers.front().index + 1);
    }
}

std::uint64_t LayerCounts::of(const modules::LayerStep& outermost) const {
  const auto found = counts_.find(outermost.container);
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace thence::semantics
