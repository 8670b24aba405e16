// Maps a model with every strategy, and compares the counts of the maps.
#include "../fuzz.h"
#include "output/formats.h"
#include "pipeline/pipeline.h"
#include "resolve/strategy.h"

namespace thence::fuzz {
namespace {

void check_map(const semantics::Map& map) {
  const semantics::Summary summary = map.summary();
  require(summary.nodes == map.model().node_count(), "every node is counted");
  require(summary.direct + summary.inferred + summary.unknown == summary.nodes, "every node is counted once");
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) {
    const resolve::Attribution& answer = map.answer(id);
    require(!answer.known() || answer.module < map.tree().size(), "an answer is a module of the tree");
    require(answer.confidence >= 0 && answer.confidence <= 1, "a confidence is a probability");
  }
  for (const Diagnostic& each : map.diagnostics().kept()) {
    require_printable(each.text, "diagnostic");
    require_printable(each.where, "place of a diagnostic");
  }
  const std::string json = text_of([&](base::Writer& out) { output::write_map_json(map, 1, out); });
  require_json(json, "map");
}

void map_model(std::string_view input) {
  for (const resolve::Strategy& strategy : resolve::strategies()) {
    Result<semantics::Map> made =
        pipeline::map_bytes(input, "model.onnx", {.strategy = std::string(strategy.name)});
    if (const semantics::Map* map = value_of(made)) check_map(*map);
    if (!made && made.error().kind == ErrorKind::bad_input) return;  // for the other strategies, too
  }
}

const Registration map_target({"map", map_model, {Part::model}});

}  // namespace
}  // namespace thence::fuzz
