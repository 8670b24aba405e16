// The rows of nodes in the JSON of a map.
#pragma once

#include "base/writer.h"
#include "output/json_parts.h"
#include "output/nodes.h"
#include "semantics/map.h"

namespace thence::output {

/// Rows are elements of an array, one per line, or separate documents, one per line.
enum class RowLayout { array, lines };

/// Writes the rows of the nodes, on up to `jobs` threads.
void write_json_rows(const semantics::Map& map, const Nodes& nodes, unsigned jobs, RowLayout layout,
                     LayerSteps steps, base::Writer& out);

}  // namespace thence::output
