#include "resolve/confidence.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/embedded.h"

namespace thence::resolve {

const Confidence& Confidence::shipped() {
  static const Confidence confidence = [] {
    Confidence made;
    simdjson::dom::parser parser;
    const simdjson::padded_string text(base::embedded("calibration.json"));
    const simdjson::dom::element file = parser.parse(text);
    for (const auto& [source, entries] : file["confidence"].get_object())
      for (const auto& [key, value] : entries.get_object())
        made.table_[std::string(source)][std::string(key)] = static_cast<float>(double(value));
    static constexpr const char* agreements[] = {"confirmed", "alone", "contradicted"};
    for (std::size_t source = 0; source < evidence::source_count; ++source)
      for (std::size_t strength = 0; strength < evidence::strength_count; ++strength)
        for (std::size_t agreement = 0; agreement < 3; ++agreement)
          made.direct_[source][strength][agreement] =
              made.look_up(static_cast<evidence::Source>(source),
                           fmt::format("{}/{}", evidence::name_of(static_cast<evidence::Strength>(strength)),
                                       agreements[agreement]));
    return made;
  }();
  return confidence;
}

float Confidence::look_up(evidence::Source source, std::string_view key) const {
  const auto entries = table_.find(evidence::name_of(source));
  if (entries == table_.end()) return 0.5f;
  const auto found = entries->second.find(key);
  if (found != entries->second.end()) return found->second;
  const auto otherwise = entries->second.find("default");
  return otherwise == entries->second.end() ? 0.5f : otherwise->second;
}

float Confidence::of(evidence::Source source, evidence::Strength strength, Agreement agreement) const {
  return direct_[static_cast<std::size_t>(source)][static_cast<std::size_t>(strength)]
                [static_cast<std::size_t>(agreement)];
}

float Confidence::of_neighbours(std::string_view kind) const {
  return look_up(evidence::Source::neighbours, kind);
}

}  // namespace thence::resolve
