#include "api/strategies.h"

#include "base/format.h"
#include "base/json_writer.h"
#include "output/formats.h"
#include "output/json_parts.h"
#include "resolve/strategy.h"

namespace thence::api {
namespace {

std::string percent(std::size_t part, std::size_t all) {
  return all == 0 ? "-"
                  : base::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

void write_strategy_table(const std::vector<StrategyResult>& results, base::Writer& out) {
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

void write_strategy(const StrategyResult& result, base::JsonWriter& json) {
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

void write_strategy_lines(const std::vector<StrategyResult>& results, base::Writer& out) {
  for (const StrategyResult& result : results) {
    base::JsonWriter json(out.buffer());
    write_strategy(result, json);
    out.add("\n");
  }
}

void write_strategy_document(const std::vector<StrategyResult>& results, base::Writer& out) {
  base::JsonWriter json(out.buffer());
  json.begin_object();
  json.member<"schema">("thence.strategies/1");
  json.begin_array<"strategies">();
  for (const StrategyResult& result : results) {
    json.new_line_between();
    write_strategy(result, json);
  }
  json.end_array();
  json.end_object();
  out.add("\n");
}

void write_strategy_csv(const std::vector<StrategyResult>& results, output::Formulas formulas,
                        base::Writer& out) {
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

Result<std::vector<StrategyResult>> compare_strategies(
    semantics::MapOptions options,
    const std::function<Result<semantics::Map>(const semantics::MapOptions&)>& make_map) {
  std::vector<StrategyResult> results;
  options.ignore_tags = true;
  for (const resolve::Strategy& strategy : resolve::strategies()) {
    StrategyResult result;
    result.strategy = strategy.name;
    options.strategy = std::string(strategy.name);
    const Result<semantics::Map> map = make_map(options);
    if (!map) {
      if (map.error().kind != ErrorKind::usage) return map.error();
      result.needs = map.error().text;
    } else {
      result.summary = map->summary();
      for (onnx::NodeId id = 0; id < map->model().node_count(); ++id)
        result.high += semantics::level_of(map->answer(id)) == "high";
    }
    results.push_back(std::move(result));
  }
  return results;
}

void write_strategies(const std::vector<StrategyResult>& results, std::string_view format,
                      base::Writer& out) {
  if (output::is_csv(format))
    write_strategy_csv(results, output::formulas_in(format), out);
  else if (format == "table")
    write_strategy_table(results, out);
  else if (format == "jsonl")
    write_strategy_lines(results, out);
  else
    write_strategy_document(results, out);
}

}  // namespace thence::api
