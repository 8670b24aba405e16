// What each module holds: nodes, parameters and bytes, its own and with everything inside it.
#pragma once

#include <cstdint>
#include <vector>

#include "output/formats.h"

namespace thence::output {

struct TreeRow {
  hierarchy::ModuleId module = hierarchy::root;
  std::size_t depth = 0;
  std::uint64_t own_nodes = 0, nodes = 0;
  std::uint64_t parameters = 0,
                bytes = 0;               // everything inside included; a shared tensor counts once a module
  onnx::NodeId first_node = onnx::none;  // the first one that it or something inside it ran
};

/// The tree's rows from the root down, in order of registration or of execution.
std::vector<TreeRow> tree_rows(const semantics::Map& map, const TreeOptions& options);

}  // namespace thence::output
