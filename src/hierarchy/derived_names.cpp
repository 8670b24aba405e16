#include "hierarchy/derived_names.h"

#include "base/embedded.h"
#include "base/json.h"

namespace thence::hierarchy {
namespace {

bool strip_suffix(std::string_view& name, std::string_view suffix, bool numbered) {
  std::string_view rest = name;
  if (numbered) {
    const std::size_t last = rest.find_last_not_of("0123456789");
    if (last == std::string_view::npos || last + 1 == rest.size()) return false;
    rest = rest.substr(0, last + 1);
  }
  if (rest.size() <= suffix.size() || !rest.ends_with(suffix)) return false;
  name = rest.substr(0, rest.size() - suffix.size());
  return true;
}

}  // namespace

std::string_view DerivedNames::original(std::string_view name, const Suffixes& suffixes,
                                        const std::vector<std::string>* prefixes) {
  for (bool again = true; again;) {
    again = false;
    for (const Suffix& suffix : suffixes[static_cast<unsigned char>(name.empty() ? '\0' : name.back())])
      again |= strip_suffix(name, suffix.text, suffix.numbered);
  }
  // Removing a prefix does not make another suffix match, so the end is not checked again.
  for (bool again = prefixes != nullptr; again;) {
    again = false;
    for (const std::string& prefix : *prefixes)
      if (name.size() > prefix.size() && name.starts_with(prefix)) {
        name.remove_prefix(prefix.size());
        again = true;
      }
  }
  return name;
}

const DerivedNames& DerivedNames::shipped() {
  static const DerivedNames names = [] {
    DerivedNames made;
    const base::JsonDocument file(base::embedded_file("derived_names.json"));
    const auto suffixes = [&](const char* key) {
      Suffixes by_last_byte;
      for (const base::JsonValue item : file.root()[key].items()) {
        const std::string_view pattern = item.text_or({});
        const bool numbered = pattern.ends_with('#');
        const std::string text_of_suffix(numbered ? pattern.substr(0, pattern.size() - 1) : pattern);
        for (const char last : numbered ? std::string_view("0123456789") : pattern.substr(pattern.size() - 1))
          by_last_byte[static_cast<unsigned char>(last)].push_back({text_of_suffix, numbered});
      }
      return by_last_byte;
    };
    made.node_suffixes_ = suffixes("node_suffixes");
    made.value_suffixes_ = suffixes("value_suffixes");
    made.parameter_suffixes_ = suffixes("parameter_suffixes");
    for (const base::JsonValue item : file.root()["node_prefixes"].items())
      made.node_prefixes_.emplace_back(item.text_or({}));
    return made;
  }();
  return names;
}

}  // namespace thence::hierarchy
