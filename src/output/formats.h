// The formats of a map, one file per format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/writer.h"
#include "dataflow/uses.h"
#include "output/columns.h"
#include "output/csv.h"
#include "output/nodes.h"
#include "score/score.h"
#include "semantics/map.h"
#include "shapes/infer.h"
#include "weights/weight.h"

namespace thence::output {

/// schema/map.schema.json: json is one document, jsonl is one line per node. Uses `jobs` threads. `known`:
/// the weights of a derived model.
void write_map_json(const semantics::Map& map, unsigned jobs, base::Writer& out,
                    const std::vector<weights::Weight>* known = nullptr);
void write_map_jsonl(const semantics::Map& map, const Nodes& nodes, unsigned jobs, base::Writer& out);
/// schema/query.schema.json: the rows of the selected nodes.
void write_query_json(const semantics::Map& map, const Nodes& nodes, unsigned jobs, base::Writer& out);

/// Uses `jobs` threads.
void write_map_csv(const semantics::Map& map, const Nodes& nodes, const std::vector<Column>& columns,
                   Formulas formulas, unsigned jobs, base::Writer& out);
struct TableStyle {
  std::size_t width = 0;  // long text is shortened in the middle to fit; 0: unlimited
  bool colour = false;    // bold headings, dim unknown nodes
};
void write_map_table(const semantics::Map& map, const Nodes& nodes, const std::vector<Column>& columns,
                     const TableStyle& style, base::Writer& out);

/// One line of summary: number of nodes, number of answers, and their sources.
std::string summary_line(const semantics::Map& map);

/// The explanation of a node's answer: all evidence, other candidates, and neighbours.
void write_explanation(const semantics::Map& map, const shapes::InferredShapes& inferred,
                       const dataflow::Uses& uses, onnx::NodeId node, bool colour, base::Writer& out);
void write_explanation_json(const semantics::Map& map, const shapes::InferredShapes& inferred,
                            const dataflow::Uses& uses, onnx::NodeId node, base::Writer& out);

/// schema/score.schema.json.
void write_score_table(const score::Score& score, base::Writer& out);
void write_score_json(const score::Score& score, const std::string& model, std::string_view strategy,
                      base::Writer& out);

}  // namespace thence::output
