// A profile for programs: JSON (schema/profile.schema.json), JSON lines and CSV.

#include "base/format.h"
#include "base/json_writer.h"
#include "output/node_names.h"
#include "output/profile_formats.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using modules::no_module;
using profile::GroupBy;
using profile::JoinedProfile;
using profile::KernelId;
using profile::ProfileRows;
using profile::Row;

constexpr int time_digits = 12;  // microseconds of a day, with three decimals

template <base::JsonKey name>
void write_time(JsonWriter& json, const std::optional<double>& microseconds) {
  json.key<name>();
  microseconds ? json.real(*microseconds, time_digits) : json.null();
}

void write_module(const semantics::Map& map, modules::ModuleId module, JsonWriter& json) {
  module == no_module ? json.null() : json.value(map.tree()[module].path);
}

void write_profile_row(const ProfileRows& rows, const Row& row, double whole, JsonWriter& json) {
  json.begin_object();
  json.key<"key">();
  row.is_unexplained ? json.null() : json.value(row.key);
  if (rows.by() == GroupBy::module) {
    json.member_or_null<"class">(row.is_unexplained ? std::string_view()
                                                    : rows.profile().map->tree()[row.module].class_name);
    json.member<"depth">(row.depth);
  }
  json.member<"calls">(row.calls);
  write_time<"self_us">(json, row.self_microseconds);
  write_time<"total_us">(json, row.total_microseconds);
  json.real<"share">(whole > 0 ? row.total_microseconds / whole : 0.0, 6);
  write_time<"p50_us">(json, row.p50);
  write_time<"p90_us">(json, row.p90);
  json.end_object();
}

void write_kernel(const JoinedProfile& profile, KernelId id, NodeLocations& locations, JsonWriter& json) {
  const profile::Kernel& kernel = profile.recording.kernels[id];
  const profile::KernelMatch& match = profile.matches[id];
  json.begin_object();
  json.member<"name">(kernel.name);
  json.member_or_null<"op_type">(kernel.op_type);
  json.member_or_null<"provider">(kernel.provider);
  json.member_or_null<"parent">(kernel.parent);
  json.member<"calls">(kernel.calls);
  write_time<"time_us">(json, kernel.microseconds);
  json.member<"match">(name_of(match.kind));
  json.begin_array<"nodes">();
  for (const onnx::NodeId node : match.nodes) json.value(locations.of(node));
  json.end_array();
  json.key<"module">();
  write_module(*profile.map, match.module, json);
  json.begin_array<"modules">();
  for (const modules::ModuleId module : modules_of(profile, id)) write_module(*profile.map, module, json);
  json.end_array();
  json.end_object();
}

void write_totals(const JoinedProfile& profile, JsonWriter& json) {
  json.begin_object<"totals">();
  json.member<"kernels">(profile.recording.kernels.size());
  json.member<"matched_kernels">(profile.matched_kernels());
  json.member<"events">(profile.recording.events);
  write_time<"kernel_us">(json, profile.recording.kernel_microseconds());
  write_time<"wall_us">(json, profile.recording.wall_microseconds());
  write_time<"unexplained_us">(json, profile.unexplained_microseconds());
  json.end_object();
}

void write_shares(const ProfileRows& rows, JsonWriter& json) {
  json.begin_array<"split">();
  for (const profile::Share& share : rows.shares()) {
    if (share.fraction == 1) continue;
    json.new_line();
    json.begin_object();
    json.member<"kernel">(rows.profile().recording.kernels[share.kernel].name);
    json.key<"module">();
    write_module(*rows.profile().map, share.module, json);
    json.real<"fraction">(share.fraction, 6);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_profile_json(const ProfileRows& rows, base::Writer& out) {
  const JoinedProfile& profile = rows.profile();
  const double whole = profile.recording.kernel_microseconds();
  JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.profile/1");
  json.member<"model">(profile.map->model().file());
  json.member<"runtime">(name_of(profile.recording.runtime));
  json.member<"runs">(profile.recording.averaged_runs > 0 ? profile.recording.averaged_runs
                                                          : profile.recording.runs.size());
  json.member<"averaged">(profile.recording.averaged_runs > 0);
  json.member<"by">(name_of(rows.by()));
  json.new_line();
  write_totals(profile, json);
  json.new_line();
  json.begin_array<"rows">();
  for (const Row& row : rows.rows()) {
    json.new_line();
    write_profile_row(rows, row, whole, json);
    out.flush_if_full();
  }
  json.end_array();
  json.new_line();
  json.begin_array<"kernels">();
  NodeLocations locations(profile.map->model());
  for (KernelId kernel = 0; kernel < profile.matches.size(); ++kernel) {
    json.new_line();
    write_kernel(profile, kernel, locations, json);
    out.flush_if_full();
  }
  json.end_array();
  json.new_line();
  write_shares(rows, json);
  json.end_object();
  out.add("\n");
  out.flush();
}

void write_profile_jsonl(const ProfileRows& rows, base::Writer& out) {
  const double whole = rows.profile().recording.kernel_microseconds();
  for (const Row& row : rows.rows()) {
    JsonWriter json(out.buffer());
    write_profile_row(rows, row, whole, json);
    out.add("\n");
  }
  out.flush();
}

void write_profile_csv(const ProfileRows& rows, Formulas formulas, base::Writer& out) {
  const double whole = rows.profile().recording.kernel_microseconds();
  const bool is_by_module = rows.by() == GroupBy::module;
  out.add(base::format("{}{},calls,self_us,total_us,share,p50_us,p90_us\n", name_of(rows.by()),
                       is_by_module ? ",class,depth" : ""));
  for (const Row& row : rows.rows()) {
    std::string& line = out.buffer();
    append_csv_field(line, row.is_unexplained ? "(no module)" : row.key, formulas);
    if (is_by_module) {
      line.push_back(',');
      if (!row.is_unexplained)
        append_csv_field(line, rows.profile().map->tree()[row.module].class_name, formulas);
      line += base::format(",{}", row.depth);
    }
    line += base::format(",{},{:.12g},{:.12g},{:.6g},", row.calls, row.self_microseconds,
                         row.total_microseconds, whole > 0 ? row.total_microseconds / whole : 0.0);
    line += row.p50 ? base::format("{:.12g},{:.12g}\n", *row.p50, *row.p90) : std::string(",\n");
    out.flush_if_full();
  }
  out.flush();
}

}  // namespace thence::output
