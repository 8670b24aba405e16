// Reads a profile of a runtime, or what thence wrote about one, and joins it with a model. Files of the
// runtime are separated by a line "== ".
#include <deque>

#include "../fuzz.h"
#include "output/profile_formats.h"
#include "pipeline/pipeline.h"
#include "profile/compare.h"
#include "profile/join.h"
#include "profile/read.h"
#include "profile/rows.h"
#include "serve/overlay.h"
#include "serve/report.h"

namespace thence::fuzz {
namespace {

constexpr std::string_view separator = "\n== \n";
constexpr std::size_t most_files = 4;

void write_rows(const profile::ProfileRows& rows) {
  require_json(text_of([&](base::Writer& out) { output::write_profile_json(rows, out); }), "profile");
  require_json_lines(text_of([&](base::Writer& out) { output::write_profile_jsonl(rows, out); }),
                     "profile as lines");
  require_json(text_of([&](base::Writer& out) { output::write_speedscope(rows, out); }), "speedscope");
  require_json(text_of([&](base::Writer& out) { output::write_time_overlay(rows, out); }),
               "overlay of times");
  require_printable(text_of([&](base::Writer& out) { output::write_profile_table(rows, {80, false}, out); }),
                    "table of times");
  require_printable(text_of([&](base::Writer& out) { output::write_collapsed_stacks(rows, out); }), "stacks");
  require_printable(
      text_of([&](base::Writer& out) { output::write_profile_csv(rows, output::Formulas::escaped, out); }),
      "CSV of times");
  require_printable(output::profile_summary(rows), "summary");
}

void join(const semantics::Map& map, profile::Recording recording, const std::vector<std::string>& paths) {
  const profile::Runtime runtime = recording.runtime;
  Result<profile::JoinedProfile> joined = profile::join(map, std::move(recording));
  profile::JoinedProfile* found = value_of(joined);
  if (found == nullptr) return;
  profile::split_by_flops(*found, nullptr);
  for (const profile::GroupBy by : {profile::GroupBy::module, profile::GroupBy::role, profile::GroupBy::op})
    write_rows(profile::ProfileRows(*found, {.by = by}));
  const profile::ProfileRows rows(*found, {});
  const profile::Comparison same = profile::compare(rows, rows);
  const output::ComparedProfiles compared{rows, rows, same};
  require_json(text_of([&](base::Writer& out) { output::write_changes_json(compared, out); }), "changes");
  require_printable(
      text_of([&](base::Writer& out) { output::write_changes_table(compared, {80, false}, out); }),
      "table of changes");
  if (runtime == profile::Runtime::onnxruntime)
    require_json(text_of([&](base::Writer& out) { output::write_chrome_trace(*found, paths, out); }),
                 "trace");
}

void read_overlays(const semantics::Map& map, const std::string& path) {
  serve::Overlay overlay;
  Result<serve::Times> times = serve::read_times(map, path);
  if (serve::Times* found = value_of(times)) overlay.times = std::move(*found);
  Result<serve::Drifts> drifts = serve::read_drifts(map, path);
  if (serve::Drifts* found = value_of(drifts)) overlay.drifts = std::move(*found);
  if (!overlay.times && !overlay.drifts) return;
  require_json(serve::collect_report(serve::ViewModels(map, std::move(overlay)), {}).json, "report");
}

void read_profile(std::string_view input) {
  const auto [model, text] = split_pair(input);
  Result<semantics::Map> made = pipeline::map_bytes(model, "model.onnx", {});
  const semantics::Map* map = value_of(made);
  if (map == nullptr) return;
  std::deque<MemoryFile> files;
  std::vector<std::string> paths;
  for (std::string_view rest = text; paths.size() < most_files; rest.remove_prefix(separator.size())) {
    const std::string_view file = rest.substr(0, rest.find(separator));
    paths.push_back(files.emplace_back(file).path());
    rest.remove_prefix(file.size());
    if (rest.empty()) break;
  }
  read_overlays(*map, paths.front());
  Result<profile::Recording> recording =
      profile::read_profiles(paths, {.model_nodes = map->model().node_count()});
  if (profile::Recording* found = value_of(recording)) join(*map, std::move(*found), paths);
}

const Registration profile_target({"profile", read_profile, {Part::model, Part::text}});

}  // namespace
}  // namespace thence::fuzz
