#include "match/correspondence.h"

#include <algorithm>

#include "base/embedded.h"
#include "base/json.h"

namespace thence::match {
namespace {

std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (c != '_' && c != '.') letters.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  return letters;
}

// "layer_norm" of "aten.layer_norm.default".
std::string_view own_name(std::string_view operation) {
  const std::size_t first = operation.find('.');
  if (first == std::string_view::npos) return operation;
  const std::size_t second = operation.find('.', first + 1);
  return operation.substr(first + 1, second == std::string_view::npos ? second : second - first - 1);
}

float chance_of(base::JsonValue value) { return static_cast<float>(value.real().value_or(0)); }

}  // namespace

Correspondence::Correspondence(std::string name, std::unordered_map<std::string, Habit> habits)
    : name_(std::move(name)), habits_(std::move(habits)) {
  for (const auto& [operation, habit] : habits_)
    for (const auto& [op, chance] : habit.becomes) operators_[op] += chance;
}

bool sound_alike(std::string_view operation, std::string_view op) {
  return plain(own_name(operation)) == plain(op);
}

Habit Correspondence::habit(std::string_view operation) const {
  if (const auto found = habits_.find(std::string(operation)); found != habits_.end()) return found->second;
  // Another overload of a known one, else what sounds alike.
  const std::string_view own = own_name(operation);
  const std::string* overload = nullptr;  // the first by name, so that the answer is the same everywhere
  for (const auto& [known, habit] : habits_)
    if (own_name(known) == own && (overload == nullptr || known < *overload)) overload = &known;
  if (overload != nullptr) return habits_.at(*overload);
  Habit guess{0.3f, 0.3f, {}};
  const std::string wanted = plain(own);
  for (const auto& [op, common] : operators_) {
    const std::string letters = plain(op);
    if (letters == wanted)
      guess.becomes[op] = 0.5f;
    else if (letters.size() > 3 &&
             (wanted.find(letters) != std::string::npos || letters.find(wanted) != std::string::npos))
      guess.becomes[op] = 0.2f;
    else
      guess.becomes[op] = 0.2f / static_cast<float>(operators_.size());
  }
  return guess;
}

const std::vector<Correspondence>& Correspondence::shipped() {
  static const std::vector<Correspondence> all = [] {
    std::vector<Correspondence> made;
    const base::JsonDocument file(base::embedded("operators.json"));
    for (const auto& [exporter, operations] : file.root()["exporters"].members()) {
      std::unordered_map<std::string, Habit> habits;
      for (const auto& [operation, row] : operations.members()) {
        Habit& habit = habits[std::string(operation)];
        habit.skips = chance_of(row["skips"]);
        habit.stays = chance_of(row["stays"]);
        for (const auto& [op, chance] : row["becomes"].members())
          habit.becomes[std::string(op)] = chance_of(chance);
      }
      made.emplace_back(std::string(exporter), std::move(habits));
    }
    return made;
  }();
  return all;
}

}  // namespace thence::match
