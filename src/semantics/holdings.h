// What each module holds: nodes, parameters and bytes, its own and with everything inside it.
#pragma once

#include <cstdint>
#include <vector>

#include "semantics/map.h"

namespace thence::semantics {

struct Holding {
  std::uint64_t own_nodes = 0, nodes = 0;
  std::uint64_t parameters = 0,
                bytes = 0;               // everything inside included; a shared tensor counts once a module
  onnx::NodeId first_node = onnx::none;  // the first one that it or something inside it ran
};

/// By module.
std::vector<Holding> holdings(const Map& map);

}  // namespace thence::semantics
