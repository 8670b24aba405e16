#include <algorithm>

#include "base/format.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "profile/join.h"
#include "profile/read.h"
#include "profile/thresholds.h"
#include "serve/node_locations.h"
#include "serve/overlay.h"
#include "serve/summaries.h"

namespace thence::serve {
namespace {

constexpr std::string_view schema = "thence.profile/1";

// The trace of onnxruntime is an array. Only what this program wrote has the name of its schema at the start.
bool is_own_format(std::string_view text) {
  const std::size_t start = std::min(text.find('{'), text.size());
  return text.find_first_not_of(" \t\r\n") == start &&
         text.substr(start, 200).find(schema) != std::string_view::npos;
}

// A kernel of a file that this program wrote names its nodes by location; if it says that a node has the
// kernel's name, the node must have it here too.
class OwnFormatReader {
 public:
  OwnFormatReader(const semantics::Map& map, const std::string& file)
      : map_(map), file_(file), locations_(map.model()) {}

  Result<Times> read(base::JsonValue root) {
    const std::optional<std::uint64_t> runs = root["runs"].natural();
    const base::JsonValue kernels = root["kernels"];
    if (!runs || !root["runtime"].text() || !kernels.is_array())
      return damaged_overlay("profile", file_, "members of thence.profile/1 are missing");
    times_.file = shown_file(file_);
    times_.runtime = *root["runtime"].text();
    times_.runs = *runs;
    times_.by_node.resize(map_.model().node_count());
    const bool is_averaged = root["averaged"].boolean().value_or(false);
    const double per_run = is_averaged || *runs == 0 ? 1 : 1 / static_cast<double>(*runs);
    for (const base::JsonValue kernel : kernels.items())
      if (!add(kernel, per_run))
        return damaged_overlay("profile", file_, base::format("kernel {} is damaged", kernels_ - 1));
    if (kernels_ == 0)
      return Error{ErrorKind::difference, "K004",
                   base::format("{}: the profile has no kernels", base::printable(file_)),
                   "run the model while the profile is recorded"};
    if (is_of_this_model()) return std::move(times_);
    return Error{ErrorKind::difference, "K005",
                 base::format("the profile is of another model: {} of {} kernels are nodes of {}", matched_,
                              kernels_, base::printable(map_.model().file())),
                 "give the model that 'thence profile' was given"};
  }

 private:
  bool add(base::JsonValue kernel, double per_run) {
    ++kernels_;
    const std::optional<double> time = kernel["time_us"].real();
    const base::JsonValue nodes = kernel["nodes"];
    if (!time || !(*time >= 0) || !kernel["name"].text() || !nodes.is_array()) return false;
    times_.total += *time * per_run;
    const onnx::NodeId node = node_of(kernel, nodes);
    if (node == onnx::none) {
      times_.without_node += *time * per_run;
    } else {
      times_.by_node[node] += *time * per_run;
      ++matched_;
    }
    return true;
  }

  onnx::NodeId node_of(base::JsonValue kernel, base::JsonValue nodes) const {
    const std::string_view match = kernel["match"].text_or("");
    if (match == "ambiguous" || nodes.items().begin() == nodes.items().end()) return onnx::none;
    const onnx::NodeId node = locations_.find((*nodes.items().begin()).text_or(""));
    if (node != onnx::none && match == "name" && map_.model().node(node).name() != kernel["name"].text())
      return onnx::none;
    return node;
  }

  bool is_of_this_model() const {
    return static_cast<double>(matched_) >= profile::min_matched_share * static_cast<double>(kernels_);
  }

  const semantics::Map& map_;
  const std::string& file_;
  NodesByLocation locations_;
  Times times_;
  std::size_t kernels_ = 0, matched_ = 0;
};

Times times_of(const profile::JoinedProfile& joined, const std::string& file) {
  const profile::Recording& recording = joined.recording;
  const std::uint64_t runs =
      recording.averaged_runs > 0 ? recording.averaged_runs : std::max<std::size_t>(1, recording.runs.size());
  // A profile of averages has the times of one run.
  const double per_run = recording.averaged_runs > 0 ? 1 : 1 / static_cast<double>(runs);
  Times times{.file = shown_file(file), .runtime = std::string(name_of(recording.runtime)), .runs = runs};
  times.by_node.resize(joined.map->model().node_count());
  for (profile::KernelId kernel = 0; kernel < recording.kernels.size(); ++kernel) {
    const double time = recording.kernels[kernel].microseconds * per_run;
    const profile::KernelMatch& match = joined.matches[kernel];
    times.total += time;
    (is_match(match.kind) ? times.by_node[match.nodes.front()] : times.without_node) += time;
  }
  return times;
}

}  // namespace

Result<Times> read_times(const semantics::Map& map, const std::string& file) {
  const Result<base::MappedFile> mapped = base::MappedFile::open(file);
  if (!mapped) return mapped.error();
  if (is_own_format(mapped->bytes())) {
    const base::JsonDocument document(mapped->bytes());
    if (document.error()) return damaged_overlay("profile", file, *document.error());
    return OwnFormatReader(map, file).read(document.root());
  }
  Result<profile::Recording> recording =
      profile::read_profiles({file}, {.model_nodes = map.model().node_count()});
  if (!recording) return recording.error();
  const Result<profile::JoinedProfile> joined = profile::join(map, *std::move(recording));
  if (!joined) return joined.error();
  return times_of(*joined, file);
}

}  // namespace thence::serve
