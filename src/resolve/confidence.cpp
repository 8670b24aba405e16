#include "resolve/confidence.h"

#include <algorithm>
#include <array>
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
constexpr const char* inference_names[inference_count] = {
    "shape_for_one_module", "distant_constant", "reordered_shape", "data_for_one_module", "by_parameter",
    "common_module",        "between",          "producer",        "same_operation",      "called"};

// The confidence of the least certain answer that an inference rests on, as a range.
struct ConfidenceRange {
  const char* name;
  float from;
};
constexpr ConfidenceRange confidence_ranges[] = {{"certain", 0.998f}, {"firm", 0.99f}, {"good", 0.97f},
                                                 {"fair", 0.9f},      {"poor", 0.7f},  {"weak", 0.0f}};
constexpr std::size_t direct_rows = evidence::source_count * evidence::strength_count * agreement_count;

std::optional<float> lower(std::optional<float> a, std::optional<float> b) {
  return a && b ? std::min(a, b) : a ? a : b;
}

template <class IsLike>
std::optional<float> lowest(base::JsonValue source, IsLike is_like) {
  std::optional<float> found;
  for (const base::JsonMember entry : source.members())
    if (is_like(entry.key))
      found = lower(found, static_cast<float>(entry.value.real().value_or(default_confidence)));
  return found;
}

// The measured confidences of one source. What was not measured gets the lowest of what is most like it:
// nothing shows that it is right more often.
class MeasuredSource {
 public:
  MeasuredSource(base::JsonValue table, std::string_view source) : table_(table), entries_(table[source]) {}

  // Like it are answers with the same agreement, and those of any source that rest on evidence of the same
  // strength. A source that agrees makes none of them less certain.
  float of_agreement(std::string_view strength, std::string_view agreement) const {
    const std::string key = base::format("{}/{}", strength, agreement);
    const std::string alone = base::format("{}/alone", strength);
    const std::string end = base::format("/{}", agreement);
    std::optional<float> same_strength;
    for (const base::JsonMember source : table_.members())
      same_strength =
          lower(same_strength,
                lowest(source.value, [&](std::string_view other) { return other == key || other == alone; }));
    std::optional<float> same_agreement =
        lowest(entries_, [&](std::string_view other) { return other.ends_with(end); });
    if (!same_agreement && !(agreement.starts_with("confirmed") && same_strength))
      same_agreement = lowest_of_all();
    return measured_or(key, lower(same_agreement, same_strength));
  }
  float of_inference(std::string_view inference, std::string_view range) const {
    const std::string start = base::format("{}/", inference);
    return measured_or(start + std::string(range),
                       lowest(entries_, [&](std::string_view other) { return other.starts_with(start); }));
  }

 private:
  float measured_or(const std::string& key, std::optional<float> like) const {
    if (const std::optional<double> measured = entries_[key].real()) return static_cast<float>(*measured);
    return like ? *like : lowest_of_all().value_or(default_confidence);
  }
  std::optional<float> lowest_of_all() const {
    return lowest(entries_, [](std::string_view) { return true; });
  }

  base::JsonValue table_, entries_;
};

// Whether answers of this strength were measured for some source. Nothing is known about others.
bool was_measured(base::JsonValue table, std::string_view strength) {
  const std::string start = base::format("{}/", strength);
  for (const base::JsonMember source : table.members())
    for (const base::JsonMember entry : source.value.members())
      if (entry.key.starts_with(start)) return true;
  return false;
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
  std::array<bool, evidence::strength_count> is_measured{};
  for (std::size_t strength = 0; strength < evidence::strength_count; ++strength)
    is_measured[strength] = was_measured(table, evidence::name_of_key(strength));
  for (std::size_t source = 0; source < evidence::source_count; ++source) {
    const std::string_view name = evidence::name_of(static_cast<Source>(source));
    const MeasuredSource measured(table, name);
    for (std::size_t strength = 0; strength < evidence::strength_count; ++strength)
      for (const char* agreement : agreement_names) {
        const std::string key = base::format("{}/{}", evidence::name_of_key(strength), agreement);
        // A tag has the confidence of the answer that it records (Evidence::max_confidence).
        const bool is_tag = static_cast<Source>(source) == Source::tags;
        rows_.push_back({base::format("{}/{}", name, key),
                         is_tag ? 1.0f
                         : !is_measured[strength]
                             ? default_confidence
                             : measured.of_agreement(evidence::name_of_key(strength), agreement)});
      }
  }
  for (std::size_t inference = 0; inference < inference_count; ++inference) {
    const std::string_view source = evidence::name_of(
        static_cast<Inference>(inference) == Inference::called ? Source::function : Source::neighbours);
    const MeasuredSource measured(table, source);
    for (const ConfidenceRange& range : confidence_ranges) {
      const std::string key = base::format("{}/{}", inference_names[inference], range.name);
      const float confidence = measured.of_inference(inference_names[inference], range.name);
      rows_.push_back({base::format("{}/{}", source, key), confidence});
    }
  }
}

}  // namespace thence::resolve
