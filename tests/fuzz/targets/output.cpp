// Writes the map of a model in every format.
#include <array>

#include "../fuzz.h"
#include "dataflow/uses.h"
#include "output/formats.h"
#include "output/other_formats.h"
#include "output/tree_rows.h"
#include "output/weights_formats.h"
#include "pipeline/pipeline.h"
#include "serve/report.h"
#include "weights/trace.h"

namespace thence::fuzz {
namespace {

constexpr onnx::NodeId most_explained = 12;

using WriteMap = void (*)(const semantics::Map&, base::Writer&);

void write_rows_of(const semantics::Map& map) {
  const output::Nodes all(map.model());
  require_json_lines(text_of([&](base::Writer& out) { output::write_map_jsonl(map, all, 1, out); }),
                     "map as lines");
  require_json(text_of([&](base::Writer& out) { output::write_query_json(map, all, 1, out); }), "nodes");
  require_json_lines(text_of([&](base::Writer& out) { output::write_map_records(map, 1, out); }), "records");
  const std::string table = text_of(
      [&](base::Writer& out) { output::write_map_table(map, all, output::all_columns(), {80, false}, out); });
  require_printable(table, "table");
  const std::string csv = text_of([&](base::Writer& out) {
    output::write_map_csv(map, all, output::all_columns(), output::Formulas::escaped, 1, out);
  });
  require_printable(csv, "CSV");
}

void write_other_formats(const semantics::Map& map) {
  constexpr std::array<std::pair<const char*, WriteMap>, 5> documents{{
      {"model explorer", output::write_model_explorer},
      {"confidence", output::write_confidence_overlay},
      {"sarif", output::write_sarif},
      {"torch map", output::write_torch_map},
      {"sidecar", output::write_htp_metadata},
  }};
  for (const auto& document : documents)
    require_json(text_of([&](base::Writer& out) { document.second(map, out); }), document.first);
  require_printable(text_of([&](base::Writer& out) { output::write_graphml(map, out); }), "graphml");
  require_printable(text_of([&](base::Writer& out) { output::write_dot(map, out); }), "dot");
}

void write_tree(const semantics::Map& map) {
  for (const bool execution_order : {false, true}) {
    const output::TreeOptions options{
        .execution_order = execution_order,
        .sort = execution_order ? output::Measure::flops : output::Measure::none,
        .width = 80};
    const output::Tree tree = output::make_tree(map, options);
    require_json(text_of([&](base::Writer& out) { output::write_tree_json(map, tree, out); }), "tree");
    require_json_lines(text_of([&](base::Writer& out) { output::write_tree_jsonl(map, tree, out); }),
                       "tree as lines");
    require_printable(text_of([&](base::Writer& out) { output::write_tree_table(map, tree, options, out); }),
                      "tree as a table");
    require_printable(text_of([&](base::Writer& out) {
                        output::write_tree_csv(map, tree, output::Formulas::escaped, out);
                      }),
                      "tree as CSV");
  }
}

void write_weights(const semantics::Map& map) {
  const output::WeightsAnswer answer{weights::trace_weights(map), weights::missing_data(map.model())};
  require_json(text_of([&](base::Writer& out) { output::write_weights_json(map, answer, out); }), "weights");
  require_json_lines(text_of([&](base::Writer& out) { output::write_weights_jsonl(map, answer, out); }),
                     "weights as lines");
  require_printable(
      text_of([&](base::Writer& out) { output::write_weights_table(map, answer, 80, false, out); }),
      "table of weights");
}

void write_explanations(const semantics::Map& map) {
  const shapes::InferredShapes inferred = shapes::infer(map.model());
  const dataflow::Uses uses(map.model());
  for (onnx::NodeId id = 0; id < std::min(map.model().node_count(), most_explained); ++id) {
    require_json(
        text_of([&](base::Writer& out) { output::write_explanation_json(map, inferred, uses, id, out); }),
        "explanation");
    require_printable(
        text_of([&](base::Writer& out) { output::write_explanation(map, inferred, uses, id, false, out); }),
        "explanation as text");
  }
}

void write_outputs(std::string_view input) {
  Result<semantics::Map> made = pipeline::map_bytes(input, "model.onnx", {});
  const semantics::Map* map = value_of(made);
  if (map == nullptr) return;
  require_printable(output::summary_line(*map), "summary");
  write_rows_of(*map);
  write_other_formats(*map);
  write_tree(*map);
  write_weights(*map);
  write_explanations(*map);
  require_json(serve::collect_report(serve::ViewModels(*map, {}), {}).json, "report");
}

const Registration output_target({"output", write_outputs, {Part::model}});

}  // namespace
}  // namespace thence::fuzz
