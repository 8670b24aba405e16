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

struct StrategyResult {
  std::string_view strategy;
  std::string needs;  // the missing input; empty if the strategy ran
  semantics::Summary summary;
  std::size_t high = 0;
};

std::string percent(std::size_t part, std::size_t all) {
  return all == 0 ? "-"
                  : base::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

void write_table(const std::vector<StrategyResult>& results, base::Writer& out) {
  out.add(base::format("{:<18} {:>8} {:>9} {:>8} {:>8} {:>8}  {}\n", "strategy", "nodes", "answered",
                       "direct", "inferred", "high", "by"));
  for (const StrategyResult& result : results) {
    if (!result.needs.empty()) {
      out.add(base::format("{:<18} {}\n", result.strategy, result.needs));
      continue;
    }
    std::string by;
    for (std::size_t i = 0; i < evidence::source_count; ++i)
      if (result.summary.by_source[i] > 0)
        by += base::format("{}{} {}", by.empty() ? "" : ", ",
                           evidence::name_of(static_cast<evidence::Source>(i)), result.summary.by_source[i]);
    const semantics::Summary& s = result.summary;
    out.add(base::format("{:<18} {:>8} {:>9} {:>8} {:>8} {:>8}  {}\n", result.strategy, s.nodes,
                         percent(s.nodes - s.unknown, s.nodes), s.direct, s.inferred, result.high, by));
  }
}

void write_result(const StrategyResult& result, base::JsonWriter& json) {
  json.begin_object();
  json.member<"strategy">(result.strategy);
  json.member_or_null<"needs">(result.needs);
  if (result.needs.empty()) {
    json.member<"nodes">(result.summary.nodes);
    json.member<"direct">(result.summary.direct);
    json.member<"inferred">(result.summary.inferred);
    json.member<"unknown">(result.summary.unknown);
    json.member<"high">(result.high);
    output::write_by_source(json, result.summary);
  }
  json.end_object();
}

void write_lines(const std::vector<StrategyResult>& results, base::Writer& out) {
  for (const StrategyResult& result : results) {
    base::JsonWriter json(out.buffer());
    write_result(result, json);
    out.add("\n");
  }
}

void write_document(const std::vector<StrategyResult>& results, base::Writer& out) {
  base::JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.strategies/1");
  json.begin_array<"strategies">();
  for (const StrategyResult& result : results) {
    json.new_line_between();
    write_result(result, json);
  }
  json.end_array();
  json.end_object();
  out.add("\n");
}

void write_csv(const std::vector<StrategyResult>& results, output::Formulas formulas, base::Writer& out) {
  out.add("strategy,nodes,direct,inferred,unknown,high,needs\n");
  for (const StrategyResult& result : results) {
    const semantics::Summary& s = result.summary;
    out.add(base::format("{},{},{},{},{},{},", result.strategy, s.nodes, s.direct, s.inferred, s.unknown,
                         result.high));
    output::append_csv_field(out.buffer(), result.needs, formulas);
    out.add("\n");
  }
}

}  // namespace

int compare_strategies(ModelFlags& flags, const std::string& format) {
  std::vector<StrategyResult> results;
  resolve_options(flags);
  flags.options.ignore_tags = true;  // tags are an answer of one strategy, not evidence to compare others on
  for (const resolve::Strategy& strategy : resolve::strategies()) {
    StrategyResult result;
    result.strategy = strategy.name;
    flags.options.strategy = std::string(strategy.name);
    const Result<semantics::Map> map = pipeline::map_file(flags.model, flags.options);
    if (!map) {
      if (map.error().kind != ErrorKind::usage) return fail(map.error());
      result.needs = map.error().text;
    } else {
      result.summary = map->summary();
      for (onnx::NodeId id = 0; id < map->model().node_count(); ++id)
        result.high += semantics::level_of(map->answer(id)) == "high";
    }
    results.push_back(std::move(result));
  }
  return write_output(flags, [&](base::Writer& out) {
    if (output::is_csv(format)) return write_csv(results, output::formulas_in(format), out);
    if (format == "table") return write_table(results, out);
    if (format == "jsonl") return write_lines(results, out);
    write_document(results, out);
  });
}

}  // namespace thence::cli
