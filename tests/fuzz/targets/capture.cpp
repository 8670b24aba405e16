// Reads a capture, and maps a model with it.
#include "capture/capture.h"

#include "../fuzz.h"
#include "output/formats.h"
#include "output/other_formats.h"
#include "output/tree_rows.h"
#include "output/weights_formats.h"
#include "pipeline/pipeline.h"
#include "resolve/strategy.h"
#include "weights/trace.h"

namespace thence::fuzz {
namespace {

void map_with_capture(std::string_view model, const std::string& capture) {
  for (const resolve::Strategy& strategy : resolve::strategies()) {
    Result<semantics::Map> made = pipeline::map_bytes(
        model, "model.onnx", {.strategy = std::string(strategy.name), .capture = capture});
    const semantics::Map* map = value_of(made);
    if (map == nullptr) continue;
    require_json(text_of([&](base::Writer& out) { output::write_map_json(*map, 1, out); }), "map");
    if (strategy.name != "auto") continue;
    const output::WeightsAnswer answer{weights::trace_weights(*map), {}};
    require_json(text_of([&](base::Writer& out) { output::write_weights_json(*map, answer, out); }),
                 "weights");
    const output::Tree tree = output::make_tree(*map, {});
    require_json(text_of([&](base::Writer& out) { output::write_tree_json(*map, tree, out); }), "tree");
    require_json(text_of([&](base::Writer& out) { output::write_htp_metadata(*map, out); }), "sidecar");
  }
}

void read_captures(std::string_view input) {
  const auto [model, text] = split_pair(input);
  Diagnostics diagnostics;
  Result<capture::Capture> read = capture::read_capture(text, "capture.json", diagnostics);
  for (const Diagnostic& each : diagnostics.kept()) require_printable(each.text, "diagnostic");
  if (value_of(read) == nullptr) return;
  const MemoryFile file(text);
  map_with_capture(model, file.path());
}

const Registration capture_target({"capture", read_captures, {Part::model, Part::text}});

}  // namespace
}  // namespace thence::fuzz
