// All strategies on one model, side by side.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/writer.h"
#include "semantics/map.h"

namespace thence::api {

struct StrategyResult {
  std::string_view strategy;
  std::string needs;  // the missing input; empty if the strategy ran
  semantics::Summary summary;
  std::size_t high = 0;
};

/// Maps the model once for each strategy, without its tags: those are an answer of one strategy, not evidence
/// to compare others on. An error if the model cannot be mapped at all.
Result<std::vector<StrategyResult>> compare_strategies(
    semantics::MapOptions options,
    const std::function<Result<semantics::Map>(const semantics::MapOptions&)>& make_map);

/// Formats: table, csv, csv-raw, jsonl and json (schema/strategies.schema.json).
void write_strategies(const std::vector<StrategyResult>& results, std::string_view format, base::Writer& out);

}  // namespace thence::api
