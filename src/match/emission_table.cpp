#include "match/emission_table.h"

#include <algorithm>

#include "base/embedded.h"
#include "base/json.h"
#include "match/thresholds.h"

namespace thence::match {
namespace {

// Lower case, without separators.
std::string normalised(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (c != '_' && c != '.') letters.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  return letters;
}

// "layer_norm" of "aten.layer_norm.default".
std::string_view name_without_overload(std::string_view operation) {
  const std::size_t first = operation.find('.');
  if (first == std::string_view::npos) return operation;
  const std::size_t second = operation.find('.', first + 1);
  return operation.substr(first + 1, second == std::string_view::npos ? second : second - first - 1);
}

float probability_in(base::JsonValue value) { return static_cast<float>(value.real().value_or(0)); }

}  // namespace

EmissionTable::EmissionTable(std::string exporter, std::unordered_map<std::string, OpEmission> emissions)
    : exporter_(std::move(exporter)), emissions_(std::move(emissions)) {
  for (const auto& [operation, emission] : emissions_)
    for (const auto& [op, probability] : emission.operators) operators_[op] += probability;
}

bool same_op_name(std::string_view operation, std::string_view op) {
  return normalised(name_without_overload(operation)) == normalised(op);
}

OpEmission EmissionTable::emission(std::string_view operation) const {
  if (const auto found = emissions_.find(std::string(operation)); found != emissions_.end())
    return found->second;
  const std::string_view name = name_without_overload(operation);
  const std::string* overload = nullptr;  // the first by name, because the table has no order
  for (const auto& [known, emission] : emissions_)
    if (name_without_overload(known) == name && (overload == nullptr || known < *overload)) overload = &known;
  return overload != nullptr ? emissions_.at(*overload) : emission_by_name(name);
}

OpEmission EmissionTable::emission_by_name(std::string_view name) const {
  OpEmission guess{unknown_op_skip, unknown_op_repeat, {}};
  const std::string wanted = normalised(name);
  for (const auto& [op, frequency] : operators_) {
    const std::string letters = normalised(op);
    if (letters == wanted)
      guess.operators[op] = unknown_op_same_name;
    else if (letters.size() > static_cast<std::size_t>(max_short_name) &&
             (wanted.find(letters) != std::string::npos || letters.find(wanted) != std::string::npos))
      guess.operators[op] = unknown_op_similar_name;
    else
      guess.operators[op] = unknown_op_others / static_cast<float>(operators_.size());
  }
  return guess;
}

const std::vector<EmissionTable>& EmissionTable::shipped() {
  static const std::vector<EmissionTable> all = [] {
    std::vector<EmissionTable> made;
    const base::JsonDocument file(base::embedded_file("operators.json"));
    for (const auto& [exporter, operations] : file.root()["exporters"].members()) {
      std::unordered_map<std::string, OpEmission> emissions;
      for (const auto& [operation, row] : operations.members()) {
        OpEmission& emission = emissions[std::string(operation)];
        emission.skip_probability = probability_in(row["skips"]);
        emission.repeat_probability = probability_in(row["stays"]);
        for (const auto& [op, probability] : row["becomes"].members())
          emission.operators[std::string(op)] = probability_in(probability);
      }
      made.emplace_back(std::string(exporter), std::move(emissions));
    }
    return made;
  }();
  return all;
}

}  // namespace thence::match
