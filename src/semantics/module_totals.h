// Counts the nodes, parameters and bytes of each module, with and without the modules inside it.
#pragma once

#include <cstdint>
#include <vector>

#include "semantics/map.h"

namespace thence::semantics {

struct ModuleTotals {
  std::uint64_t own_nodes = 0, nodes = 0;
  std::uint64_t parameters = 0,
                bytes = 0;               // with everything inside; a shared tensor counts once per module
  onnx::NodeId first_node = onnx::none;  // of the module or of a module inside it
};

/// By module.
std::vector<ModuleTotals> module_totals(const Map& map);

}  // namespace thence::semantics
