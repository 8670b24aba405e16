#include "resolve/confidence.h"

#include <algorithm>
#include <optional>

#include "base/embedded.h"
#include "base/format.h"
#include "base/json.h"
#include "resolve/thresholds.h"

namespace thence::resolve {
namespace {

using evidence::Source;
using evidence::Strength;

constexpr auto agreement_count = static_cast<std::size_t>(Agreement::count);
constexpr auto inference_count = static_cast<std::size_t>(Inference::count);
constexpr const char* agreement_names[agreement_count] = {"confirmed", "confirmed_by_disputed", "alone",
                                                          "unconfirmed", "contradicted"};
constexpr const char* inference_names[inference_count] = {"shape_for_one_module",
                                                          "distant_constant",
                                                          "reordered_shape",
                                                          "data_for_one_module",
                                                          "by_parameter",
                                                          "common_module",
                                                          "between",
                                                          "producer",
                                                          "called"};

// The confidence of the least certain answer that an inference rests on, as a range.
struct ConfidenceRange {
  const char* name;
  float from, at_most;
};
constexpr ConfidenceRange confidence_ranges[] = {{"certain", 0.998f, 1.0f}, {"firm", 0.99f, 1.0f},
                                                 {"good", 0.97f, 0.99f},    {"fair", 0.9f, 0.97f},
                                                 {"poor", 0.7f, 0.9f},      {"weak", 0.0f, 0.7f}};
bool is_unordered(Inference inference) {
  return inference == Inference::distant_constant || inference == Inference::reordered_shape;
}

constexpr std::size_t direct_rows = evidence::source_count * evidence::strength_count * agreement_count;

std::optional<float> table_entry(base::JsonValue table, std::string_view source, std::string_view key) {
  const std::optional<double> value = table[source][key].real();
  return value ? std::optional(static_cast<float>(*value)) : std::nullopt;
}

}  // namespace

const ConfidenceTable& ConfidenceTable::shipped() {
  static const ConfidenceTable confidence;
  return confidence;
}

Basis ConfidenceTable::basis(Source source, Strength strength, Agreement agreement) {
  const std::size_t row =
      static_cast<std::size_t>(source) * evidence::strength_count + evidence::key_of(strength);
  return static_cast<Basis>(row * agreement_count + static_cast<std::size_t>(agreement));
}

Basis ConfidenceTable::basis(Inference inference, float least_confidence) {
  const auto range = std::find_if(std::begin(confidence_ranges), std::end(confidence_ranges) - 1,
                                  [&](const ConfidenceRange& f) { return least_confidence >= f.from; });
  return static_cast<Basis>(direct_rows + static_cast<std::size_t>(inference) * std::size(confidence_ranges) +
                            static_cast<std::size_t>(range - std::begin(confidence_ranges)));
}

ConfidenceTable::ConfidenceTable() {
  const base::JsonDocument document(base::embedded_file("calibration.json"));
  const base::JsonValue table = document.root()["confidence"];
  const auto add = [&](std::string_view source, const std::string& key, float otherwise) {
    rows_.push_back(
        {base::format("{}/{}", source, key), table_entry(table, source, key).value_or(otherwise)});
  };
  for (std::size_t source = 0; source < evidence::source_count; ++source) {
    const std::string_view name = evidence::name_of(static_cast<Source>(source));
    // A tag has the confidence of the answer that it records (Evidence::max_confidence).
    const float otherwise = static_cast<Source>(source) == Source::tags
                                ? 1.0f
                                : table_entry(table, name, "default").value_or(default_confidence);
    for (std::size_t strength = 0; strength < evidence::strength_count; ++strength)
      for (const char* agreement : agreement_names)
        add(name, base::format("{}/{}", evidence::name_of_key(strength), agreement), otherwise);
  }
  for (std::size_t inference = 0; inference < inference_count; ++inference) {
    const std::string_view source = evidence::name_of(
        static_cast<Inference>(inference) == Inference::called ? Source::function : Source::neighbours);
    const float otherwise = table_entry(table, source, inference_names[inference])
                                .value_or(table_entry(table, source, "default").value_or(default_confidence));
    for (const ConfidenceRange& range : confidence_ranges) {
      add(source, base::format("{}/{}", inference_names[inference], range.name),
          std::min(otherwise, range.at_most));
      if (is_unordered(static_cast<Inference>(inference)) && range.from < min_firm_confidence)
        rows_.back().confidence = std::min(rows_.back().confidence, max_reordered_confidence);
    }
  }
}

}  // namespace thence::resolve
