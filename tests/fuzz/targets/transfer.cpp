// Maps a model by the answers of another, and compares both.
#include "../fuzz.h"
#include "diff/diff.h"
#include "output/diff_formats.h"
#include "output/formats.h"
#include "output/weights_formats.h"
#include "pipeline/pipeline.h"
#include "serve/comparison.h"
#include "serve/report.h"
#include "weights/trace.h"

namespace thence::fuzz {
namespace {

void transfer(const semantics::Map& ancestor, std::string_view derived) {
  Result<semantics::Map> made = pipeline::map_derived_bytes(ancestor, derived, "derived.onnx", {});
  const semantics::Map* map = value_of(made);
  if (map == nullptr) return;
  require_json(text_of([&](base::Writer& out) { output::write_map_json(*map, 1, out); }), "transferred map");
  const output::WeightsAnswer answer{weights::trace_weights(*map, ancestor),
                                     weights::missing_data(map->model())};
  require_json(text_of([&](base::Writer& out) { output::write_weights_json(*map, answer, out); }), "weights");
}

void write_differences(const semantics::Map& a, const semantics::Map& b) {
  const diff::StatOptions stat;
  const diff::Report report = diff::compare(a, b, {}, &stat);
  const output::Comparison comparison{a, b, report};
  require_json(text_of([&](base::Writer& out) { output::write_diff_json(comparison, out); }), "diff");
  require_json(text_of([&](base::Writer& out) { output::write_diff_sarif(comparison, out); }),
               "diff as SARIF");
  require_json(text_of([&](base::Writer& out) { output::write_diff_stat(comparison, {"json"}, out); }),
               "diff by module");
  require_printable(text_of([&](base::Writer& out) { output::write_diff_table(comparison, 80, out); }),
                    "table of differences");
  require_printable(text_of([&](base::Writer& out) { output::write_diff_markdown(comparison, out); }),
                    "differences in Markdown");
  Result<serve::Comparison> shown = serve::Comparison::make(a, b, serve::Relation::diff);
  if (const serve::Comparison* both = value_of(shown)) {
    const serve::ViewModels models(b, a, {.comparison = both});
    require_json(serve::collect_report(models, {}).json, "report of two models");
  }
}

void compare_models(std::string_view input) {
  const auto [first, second] = split_pair(input);
  Result<semantics::Map> before = pipeline::map_bytes(first, "first.onnx", {});
  const semantics::Map* a = value_of(before);
  if (a == nullptr) return;
  transfer(*a, second);
  Result<semantics::Map> after = pipeline::map_bytes(second, "second.onnx", {});
  const semantics::Map* b = value_of(after);
  if (b == nullptr) return;
  write_differences(*a, *b);
  require(diff::compare(*a, *a).same(), "a model has no differences from itself");
}

const Registration transfer_target({"transfer", compare_models, {Part::model, Part::model}});

}  // namespace
}  // namespace thence::fuzz
