// The number of layers of each list of repeated blocks, to count layers from the end.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "semantics/map.h"

namespace thence::semantics {

class LayerCounts {
 public:
  /// Reads the layers of all modules.
  explicit LayerCounts(const Map& map);

  /// The layers of the outermost list around a module: an encoder and a decoder have their own.
  std::uint64_t of(const modules::LayerStep& outermost) const;

 private:
  std::unordered_map<std::string_view, std::uint64_t> counts_;  // by container
};

}  // namespace thence::semantics
