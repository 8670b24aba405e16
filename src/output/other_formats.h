// A map in the formats of other programs, one file per format.
#pragma once

#include "base/writer.h"
#include "semantics/map.h"

namespace thence::output {

/// Nested drawings of the graph for yEd and networkx, Graphviz, and Model Explorer, and node data for Model
/// Explorer.
void write_graphml(const semantics::Map& map, base::Writer& out);
void write_dot(const semantics::Map& map, base::Writer& out);
void write_model_explorer(const semantics::Map& map, base::Writer& out);
void write_confidence_overlay(const semantics::Map& map, base::Writer& out);

/// Unknown and uncertain answers, as SARIF 2.1.0.
void write_sarif(const semantics::Map& map, base::Writer& out);

/// schema/torch-map.schema.json.
void write_torch_map(const semantics::Map& map, base::Writer& out);

/// The sidecar layout of earlier tools; see docs/compatibility.md.
void write_htp_metadata(const semantics::Map& map, base::Writer& out);

/// The lines of write_map_jsonl() for readers that require lists of one type: entries of layer_path are
/// objects.
void write_map_records(const semantics::Map& map, unsigned jobs, base::Writer& out);

/// The id of a graph in Model Explorer.
std::string explorer_graph_id(const onnx::Model& model, onnx::GraphId graph);

}  // namespace thence::output
