#include "hierarchy/metadata_dialects.h"

#include <algorithm>
#include <array>

#include "base/embedded.h"
#include "base/json.h"

namespace thence::hierarchy {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(MetadataField::count)> field_names = {
    "scopes", "classes", "namespace", "operation", "rewritten", "folded_from", "class_path"};

MetadataField field_of(std::string_view name) {
  return static_cast<MetadataField>(std::find(field_names.begin(), field_names.end(), name) -
                                    field_names.begin());
}

std::vector<std::string> texts_of(base::JsonValue list) {
  std::vector<std::string> texts;
  for (const base::JsonValue item : list.items()) texts.emplace_back(item.text_or({}));
  return texts;
}

}  // namespace

const MetadataDialects& MetadataDialects::shipped() {
  static const MetadataDialects dialects = [] {
    MetadataDialects made;
    const base::JsonDocument file(base::embedded_file("metadata_dialects.json"));
    for (const base::JsonValue row : file.root()["dialects"].items()) {
      const DialectId id = made.count();
      MetadataDialect& dialect = made.dialects_.emplace_back();
      dialect.name = row["name"].text_or({});
      dialect.is_cumulative = row["paths"].text_or({}) == "cumulative";
      dialect.ends_with_operation = row["last_entry"].text_or({}) == "operation";
      dialect.has_qualified_classes = row["class_names"].text_or({}) == "qualified";
      for (const base::JsonMember key : row["keys"].members()) {
        const MetadataField field = field_of(key.key);
        const std::string_view text = key.value.text_or({});
        const bool is_shared = field == MetadataField::name_space;
        dialect.has_namespace |= is_shared;
        if (made.find(text) == nullptr)
          made.keys_.push_back({std::string(text), field, is_shared ? std::nullopt : std::optional(id)});
      }
    }
    const base::JsonValue scopes = file.root()["module_scopes"];
    made.producers_ = texts_of(scopes["producers"]);
    made.value_prefixes_ = texts_of(scopes["value_prefixes"]);
    return made;
  }();
  return dialects;
}

const MetadataDialects::Key* MetadataDialects::find(std::string_view key) const {
  const auto found =
      std::find_if(keys_.begin(), keys_.end(), [&](const Key& known) { return known.text == key; });
  return found == keys_.end() ? nullptr : &*found;
}

std::string_view MetadataDialects::key_of(MetadataField field) const {
  const auto found =
      std::find_if(keys_.begin(), keys_.end(), [&](const Key& known) { return known.field == field; });
  return found == keys_.end() ? std::string_view() : found->text;
}

std::optional<MetadataDialects::DialectId> MetadataDialects::with_namespace(bool is_cumulative) const {
  for (DialectId id = 0; id < count(); ++id)
    if (dialects_[id].has_namespace && dialects_[id].is_cumulative == is_cumulative) return id;
  return std::nullopt;
}

bool MetadataDialects::is_module_producer(std::string_view producer) const {
  return std::find(producers_.begin(), producers_.end(), producer) != producers_.end();
}

bool MetadataDialects::is_module_value(std::string_view value) const {
  return std::any_of(value_prefixes_.begin(), value_prefixes_.end(),
                     [&](const std::string& prefix) { return value.starts_with(prefix); });
}

}  // namespace thence::hierarchy
