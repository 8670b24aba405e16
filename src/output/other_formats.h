// A map in the formats of other programs, one file each.
#pragma once

#include "base/writer.h"
#include "semantics/map.h"

namespace thence::output {

/// Nested pictures of the graph: yEd and networkx, Graphviz, Model Explorer; and Model Explorer's node data.
void write_graphml(const semantics::Map& map, base::Writer& out);
void write_dot(const semantics::Map& map, base::Writer& out);
void write_model_explorer(const semantics::Map& map, base::Writer& out);
void write_confidence_overlay(const semantics::Map& map, base::Writer& out);

/// What is unknown or weak, as SARIF 2.1.0.
void write_sarif(const semantics::Map& map, base::Writer& out);

/// schema/torch-map.schema.json.
void write_torch_map(const semantics::Map& map, base::Writer& out);

/// The sidecar layout of earlier tools; docs/compatibility.md.
void write_htp_metadata(const semantics::Map& map, base::Writer& out);

/// The lines of write_map_jsonl() for readers whose lists hold one type: entries of layer_path are objects.
void write_map_records(const semantics::Map& map, unsigned jobs, base::Writer& out);

}  // namespace thence::output
