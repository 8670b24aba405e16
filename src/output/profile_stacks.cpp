// A profile as stacks: each kernel's time, with the modules around it.

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "output/explorer_overlay.h"
#include "output/nodes_by_module.h"
#include "output/other_formats.h"
#include "output/profile_formats.h"

namespace thence::output {
namespace {

using modules::ModuleId;
using modules::no_module;
using profile::ProfileRows;
using profile::Share;

// From the root to the module; empty for no_module.
std::vector<ModuleId> modules_around(const modules::ModuleTree& tree, ModuleId module) {
  std::vector<ModuleId> found;
  for (; module != no_module; module = tree[module].parent) found.push_back(module);
  std::reverse(found.begin(), found.end());
  return found;
}

std::string frame_name(const semantics::Map& map, ModuleId module) {
  const modules::Module& found = map.tree()[module];
  if (module == modules::root) return std::string(root_label(map));
  return std::string(found.name());
}

// Semicolons and line breaks separate frames and stacks.
std::string frame_text(std::string_view name) {
  std::string text = base::printable(name);
  std::replace(text.begin(), text.end(), ';', ':');
  return text;
}

double microseconds_of(const ProfileRows& rows, const Share& share) {
  return share.fraction * rows.profile().recording.kernels[share.kernel].microseconds;
}

// Numbers for the frames of a stack: a module, or a kernel.
class Frames {
 public:
  std::uint32_t of(bool is_kernel, std::uint32_t id) {
    const auto [found, is_new] = numbers_.try_emplace(std::uint64_t{id} << 1 | (is_kernel ? 1 : 0),
                                                      static_cast<std::uint32_t>(list.size()));
    if (is_new) list.push_back({is_kernel, id});
    return found->second;
  }
  struct Frame {
    bool is_kernel;
    std::uint32_t id;
  };
  std::vector<Frame> list;

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace

void write_speedscope(const ProfileRows& rows, base::Writer& out) {
  const semantics::Map& map = *rows.profile().map;
  Frames frames;
  std::string samples, weights;
  base::JsonWriter sample_json(samples), weight_json(weights);
  double sum = 0;
  for (const Share& share : rows.shares()) {
    sample_json.begin_array();
    for (const ModuleId module : modules_around(map.tree(), share.module))
      sample_json.value(frames.of(false, module));
    sample_json.value(frames.of(true, share.kernel));
    sample_json.end_array();
    const double weight = microseconds_of(rows, share);
    weight_json.real(weight, 12);
    sum += weight;
  }
  base::JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"$schema">("https://www.speedscope.app/file-format-schema.json");
  json.member<"exporter">("thence");
  json.member<"name">(map.model().file());
  json.begin_object<"shared">();
  json.begin_array<"frames">();
  for (const auto& [is_kernel, id] : frames.list) {
    json.new_line();
    json.begin_object();
    json.member<"name">(is_kernel ? rows.profile().recording.kernels[id].name : frame_name(map, id));
    json.member<"file">(is_kernel ? std::string_view(rows.profile().recording.kernels[id].op_type)
                                  : map.tree()[id].path);
    json.end_object();
    out.flush_if_full();
  }
  json.end_array();
  json.end_object();
  json.begin_array<"profiles">();
  json.begin_object();
  json.member<"type">("sampled");
  json.member<"name">("kernels by module");
  json.member<"unit">("microseconds");
  json.member<"startValue">(0);
  json.real<"endValue">(sum, 12);
  json.verbatim<"samples">("[" + samples + "]");
  json.verbatim<"weights">("[" + weights + "]");
  json.end_object();
  json.end_array();
  json.end_object();
  out.add("\n");
  out.flush();
}

void write_collapsed_stacks(const ProfileRows& rows, base::Writer& out) {
  const semantics::Map& map = *rows.profile().map;
  for (const Share& share : rows.shares()) {
    for (const ModuleId module : modules_around(map.tree(), share.module)) {
      out.add(frame_text(frame_name(map, module)));
      out.add(";");
    }
    if (share.module == no_module) out.add("(no module);");
    out.add(frame_text(rows.profile().recording.kernels[share.kernel].name));
    out.add(base::format(" {}\n", std::llround(microseconds_of(rows, share))));
  }
  out.flush();
}

void write_time_overlay(const ProfileRows& rows, base::Writer& out) {
  const profile::JoinedProfile& profile = rows.profile();
  const onnx::Model& model = profile.map->model();
  const double runs = std::max<double>(1, static_cast<double>(profile.recording.runs.size()));
  std::vector<double> times(model.node_count(), -1);
  for (profile::KernelId kernel = 0; kernel < profile.matches.size(); ++kernel)
    if (is_match(profile.matches[kernel].kind)) {
      double& time = times[profile.matches[kernel].nodes.front()];
      time = std::max(time, 0.0) + profile.recording.kernels[kernel].microseconds / runs;
    }
  write_explorer_overlay(
      model,
      {.name = "microseconds",
       .digits = 9,
       .value_of =
           [&](onnx::NodeId node) { return times[node] < 0 ? std::nullopt : std::optional(times[node]); },
       .write_colours =
           [](base::JsonWriter& json) {
             json.verbatim<"gradient">(R"([{"stop":0,"bgColor":"white"},{"stop":1,"bgColor":"red"}])");
           }},
      out);
}

}  // namespace thence::output
