// thence map --strategy all: compares all strategies on one model.

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "output/formats.h"
#include "output/json_parts.h"
#include "pipeline/pipeline.h"
#include "resolve/strategy.h"

namespace thence::cli {
namespace {

struct Side {
  std::string_view strategy;
  std::string needs;  // the missing input; empty if the strategy ran
  semantics::Summary summary;
  std::size_t high = 0;
};

std::string percent(std::size_t part, std::size_t all) {
  return all == 0 ? "-"
                  : base::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

void write_table(const std::vector<Side>& sides, base::Writer& out) {
  out.add(base::format("{:<18} {:>8} {:>9} {:>8} {:>8} {:>8}  {}\n", "strategy", "nodes", "answered",
                       "direct", "inferred", "high", "by"));
  for (const Side& side : sides) {
    if (!side.needs.empty()) {
      out.add(base::format("{:<18} {}\n", side.strategy, side.needs));
      continue;
    }
    std::string by;
    for (std::size_t i = 0; i < evidence::source_count; ++i)
      if (side.summary.by_source[i] > 0)
        by += base::format("{}{} {}", by.empty() ? "" : ", ",
                           evidence::name_of(static_cast<evidence::Source>(i)), side.summary.by_source[i]);
    const semantics::Summary& s = side.summary;
    out.add(base::format("{:<18} {:>8} {:>9} {:>8} {:>8} {:>8}  {}\n", side.strategy, s.nodes,
                         percent(s.nodes - s.unknown, s.nodes), s.direct, s.inferred, side.high, by));
  }
}

void write_side(const Side& side, base::JsonWriter& json) {
  json.begin_object();
  json.member<"strategy">(side.strategy);
  json.member_or_null<"needs">(side.needs);
  if (side.needs.empty()) {
    json.member<"nodes">(side.summary.nodes);
    json.member<"direct">(side.summary.direct);
    json.member<"inferred">(side.summary.inferred);
    json.member<"unknown">(side.summary.unknown);
    json.member<"high">(side.high);
    output::write_by_source(json, side.summary);
  }
  json.end_object();
}

void write_lines(const std::vector<Side>& sides, base::Writer& out) {
  for (const Side& side : sides) {
    base::JsonWriter json(out.buffer());
    write_side(side, json);
    out.add("\n");
  }
}

void write_document(const std::vector<Side>& sides, base::Writer& out) {
  base::JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.strategies/1");
  json.begin_array<"strategies">();
  for (const Side& side : sides) {
    json.new_line_between();
    write_side(side, json);
  }
  json.end_array();
  json.end_object();
  out.add("\n");
}

void write_csv(const std::vector<Side>& sides, output::Formulas formulas, base::Writer& out) {
  out.add("strategy,nodes,direct,inferred,unknown,high,needs\n");
  for (const Side& side : sides) {
    const semantics::Summary& s = side.summary;
    out.add(base::format("{},{},{},{},{},{},", side.strategy, s.nodes, s.direct, s.inferred, s.unknown,
                         side.high));
    output::append_csv_field(out.buffer(), side.needs, formulas);
    out.add("\n");
  }
}

}  // namespace

int compare_strategies(ModelFlags& flags, const std::string& format) {
  std::vector<Side> sides;
  for (const resolve::Strategy& strategy : resolve::strategies()) {
    Side side;
    side.strategy = strategy.name;
    flags.options.strategy = std::string(strategy.name);
    const Result<semantics::Map> map = pipeline::map_file(flags.model, flags.options);
    if (!map) {
      if (map.error().kind != ErrorKind::usage) return fail(map.error());
      side.needs = map.error().text;
    } else {
      side.summary = map->summary();
      for (onnx::NodeId id = 0; id < map->model().node_count(); ++id)
        side.high += semantics::level_of(map->answer(id)) == "high";
    }
    sides.push_back(std::move(side));
  }
  return deliver(flags, [&](base::Writer& out) {
    if (output::is_csv(format)) return write_csv(sides, output::formulas_in(format), out);
    if (format == "table") return write_table(sides, out);
    if (format == "jsonl") return write_lines(sides, out);
    write_document(sides, out);
  });
}

}  // namespace thence::cli
