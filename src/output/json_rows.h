// The rows of nodes in a map's JSON.
#pragma once

#include "base/writer.h"
#include "output/json_parts.h"
#include "output/nodes.h"
#include "semantics/map.h"

namespace thence::output {

/// Rows are items of an array, each on a line of its own, or lines that are documents.
enum class RowLayout { array, lines };

/// Writes the nodes' rows, on up to `jobs` threads.
void write_json_rows(const semantics::Map& map, const Nodes& nodes, unsigned jobs, RowLayout layout,
                     LayerSteps steps, base::Writer& out);

}  // namespace thence::output
