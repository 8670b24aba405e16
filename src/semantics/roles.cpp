#include "semantics/roles.h"

#include <algorithm>

#include "base/text.h"
#include "semantics/lexicon.h"

namespace thence::semantics {
namespace {

using modules::ModuleId;

constexpr std::size_t most_readings = 1 << 12;  // kept; a model with more distinct names starts over

using Words = std::vector<std::string>;

const LexiconEntry* first_fit(const std::vector<LexiconEntry>& entries, const Words& words,
                              bool leaf = true) {
  for (const LexiconEntry& entry : entries)
    if ((leaf || !entry.leaf) && entry.fits(words)) return &entry;
  return nullptr;
}

std::string_view name_of(const LexiconEntry* entry) {
  return entry == nullptr ? std::string_view() : std::string_view(entry->name);
}

bool says_something(const Words& words) {
  const Lexicon& lexicon = Lexicon::shipped();
  return first_fit(lexicon.types, words) != nullptr || first_fit(lexicon.weak_types, words) != nullptr ||
         first_fit(lexicon.wholes, words) != nullptr;
}

// How much of a class's short name only repeats the name of a package or file it stands in, whatever the case
// and underscores: that is what the model is called.
std::size_t repeated_name(std::string_view class_name) {
  const std::string_view own = modules::short_class(class_name);
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::size_t most = 0;
  for (const std::string_view part : base::split(class_name.substr(0, class_name.size() - own.size()), '.')) {
    std::size_t same = 0;
    bool all = !part.empty();
    for (const char c : part)
      if (c != '_' && all) all = same < own.size() && lower(own[same++]) == lower(c);
    // The rest must begin a word of its own.
    if (all && same < own.size() && own[same] >= 'A' && own[same] <= 'Z') most = std::max(most, same);
  }
  return most;
}

// The words of a class, without the model's name where the others say something.
Words class_words(std::string_view class_name) {
  const std::string_view own = modules::short_class(class_name);
  if (const std::size_t name = repeated_name(class_name); name > 0)
    if (Words rest = words_of(own.substr(name)); says_something(rest)) return rest;
  return words_of(own);
}

// The first classification of the type whose words fit; one without words fits always and stands last.
std::string_view classify(std::string_view type, std::uint64_t fitting) {
  const auto& all = Lexicon::shipped().classifications;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].type == type && (all[i].words.empty() || (fitting >> i & 1) != 0)) return all[i].name;
  return {};
}

}  // namespace

const RoleReader::Reading& RoleReader::read(const modules::Module& module) {
  const std::string_view name = module.name(), class_name = module.class_name;
  const bool leaf = module.children.empty();
  key_.assign(name).push_back(leaf ? '\n' : '\t');
  key_ += class_name;
  if (const auto found = readings_.find(key_); found != readings_.end()) return found->second;
  if (readings_.size() == most_readings) readings_.clear();
  const Lexicon& lexicon = Lexicon::shipped();
  // A layer's number is no word: its class alone speaks.
  const Words own = base::is_digits(name) ? Words() : words_of(name);
  Words words = own;
  for (std::string& word : class_words(class_name)) words.push_back(std::move(word));
  const LexiconEntry* const type = first_fit(lexicon.types, words, leaf);
  Reading reading{.type = name_of(type),
                  .weak_type = name_of(first_fit(lexicon.weak_types, words)),
                  .whole = name_of(first_fit(lexicon.wholes, words)),
                  .component = name_of(first_fit(lexicon.components, own)),
                  .places = type == nullptr || type->places};
  for (std::size_t i = 0; i < lexicon.classifications.size() && i < 64; ++i)
    if (lexicon.classifications[i].fits(words)) reading.classifications |= std::uint64_t{1} << i;
  return readings_.emplace(key_, reading).first->second;
}

Role RoleReader::of(const modules::ModuleTree& tree, ModuleId module) {
  Role role;
  std::string_view weak;
  std::uint64_t fitting = 0;
  for (ModuleId at = module; at != modules::root; at = tree[at].parent) {
    const bool layer = base::is_digits(tree[at].name());
    const Reading& reading = read(tree[at]);
    // Of what lies around the part that gave the type, only attention needs to know more:
    // `crossattention.self`.
    if (role.type.empty() || role.type == "attention") fitting |= reading.classifications;
    if (role.type.empty()) {
      if (role.component.empty()) role.component = reading.component;
      if (!layer || weak.empty()) role.type = reading.type;
      if (!role.type.empty() && !reading.places) role.component = {};
      if (weak.empty()) weak = reading.weak_type;
      // A whole is no part of what is around it.
      if (role.type.empty() && !reading.whole.empty()) {
        if (weak.empty()) role.type = reading.whole;
        break;
      }
    }
    // A layer's number ends the search: what is around the layer says nothing about its parts.
    if (layer) break;
  }
  if (role.type.empty()) role.type = weak;
  if (role.type.empty()) role.type = whole_around(tree, module);
  if (!role.type.empty()) role.classification = classify(role.type, fitting);
  return role;
}

// Layers, and lists of them, are pieces of the whole that they make up.
std::string_view RoleReader::whole_around(const modules::ModuleTree& tree, ModuleId module) {
  const modules::Module& own = tree[module];
  if (own.children.empty() || !(own.only_numbers || base::is_digits(own.name()))) return {};
  for (ModuleId at = own.parent; at != modules::root && at != modules::no_module; at = tree[at].parent) {
    const Reading& reading = read(tree[at]);
    if (!reading.type.empty() || !reading.whole.empty()) return reading.type.empty() ? reading.whole : "";
  }
  return {};
}

}  // namespace thence::semantics
