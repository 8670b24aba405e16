#include "serve/overlay.h"

#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "serve/limits.h"
#include "serve/summaries.h"

namespace thence::serve {

using base::JsonWriter;

Error damaged_overlay(std::string_view command, const std::string& file, std::string_view problem) {
  return {ErrorKind::bad_input, "V005", base::format("{}: {}", base::printable(file), problem),
          base::format("write the file again with 'thence {} --format json'", command)};
}

OverlayAmounts OverlayAmounts::of(const Overlay& overlay, onnx::NodeId node) {
  OverlayAmounts amounts;
  if (overlay.times) amounts.time = overlay.times->by_node[node];
  if (overlay.comparison != nullptr) {
    const ChangeSet changes = overlay.comparison->changes(overlay.side, node);
    amounts.changed = changes.any() ? 1 : 0;
    for (std::size_t kind = 0; kind < changes.size(); ++kind) amounts.changes[kind] = changes[kind] ? 1 : 0;
  }
  return amounts;
}

void OverlayAmounts::include(const OverlayAmounts& other) {
  time += other.time;
  if (other.drift && (!drift || other.drift->error > drift->error)) drift = other.drift;
  changed += other.changed;
  for (std::size_t kind = 0; kind < changes.size(); ++kind) changes[kind] += other.changes[kind];
}

namespace {

// JSON has no infinity.
template <base::JsonKey name>
void write_error(double error, JsonWriter& json) {
  std::isfinite(error) ? json.real<name>(error, 6) : json.member<name>("inf");
}

}  // namespace

void OverlayAmounts::write(const Overlay& overlay, JsonWriter& json) const {
  if (overlay.times) json.real<"time_us">(time, 6);
  if (drift) {
    write_error<"drift">(drift->error, json);
    if (drift->added) write_error<"drift_added">(*drift->added, json);
    json.member<"drift_over">(drift->is_over);
  }
  if (overlay.comparison == nullptr) return;
  json.member<"changed">(changed);
  json.begin_object<"changes">();
  for (std::size_t kind = 0; kind < changes.size(); ++kind)
    if (changes[kind] > 0) {
      json.key(diff::name_of(static_cast<diff::DiffKind>(kind)));
      json.value(changes[kind]);
    }
  json.end_object();
}

void write_overlays(const Overlay& overlay, JsonWriter& json) {
  json.begin_object<"overlays">();
  if (overlay.times) {
    json.begin_object<"time">();
    json.member<"file">(overlay.times->file);
    json.member<"runtime">(cut_text(overlay.times->runtime, max_label_bytes));
    json.member<"runs">(overlay.times->runs);
    json.real<"total_us">(overlay.times->total, 6);
    json.real<"without_node_us">(overlay.times->without_node, 6);
    json.end_object();
  }
  if (overlay.drifts) {
    json.begin_object<"drift">();
    json.member<"file">(overlay.drifts->file);
    json.member<"reference">(overlay.drifts->reference);
    json.end_object();
  }
  if (overlay.comparison != nullptr) {
    json.begin_object<"comparison">();
    json.member<"with">(overlay.comparison->relation() == Relation::ancestor ? "ancestor" : "diff");
    json.member<"side">(overlay.side == Side::before ? "before" : "after");
    json.end_object();
  }
  json.end_object();
}

}  // namespace thence::serve
