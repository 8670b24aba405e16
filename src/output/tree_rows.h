// The module tree in the order in which it is shown, and what each module holds.
#pragma once

#include <vector>

#include "output/formats.h"
#include "semantics/holdings.h"

namespace thence::output {

struct TreeRow : semantics::Holding {
  hierarchy::ModuleId module = hierarchy::root;
  std::size_t depth = 0;
};

/// The tree's rows from the root down, in order of registration or of execution.
std::vector<TreeRow> tree_rows(const semantics::Map& map, const TreeOptions& options);

}  // namespace thence::output
