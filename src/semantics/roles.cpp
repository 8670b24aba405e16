#include "semantics/roles.h"

#include <algorithm>

#include "base/text.h"
#include "semantics/lexicon.h"
#include "semantics/thresholds.h"

namespace thence::semantics {
namespace {

using modules::ModuleId;

const LexiconEntry* first_match(const std::vector<LexiconEntry>& entries, const WordSet& words,
                                bool is_leaf = true) {
  for (const LexiconEntry& entry : entries)
    if ((is_leaf || !entry.needs_leaf) && entry.matches(words)) return &entry;
  return nullptr;
}

std::string_view name_of(const LexiconEntry* entry) {
  return entry == nullptr ? std::string_view() : std::string_view(entry->name);
}

bool is_in_lexicon(const WordSet& words) {
  const Lexicon& lexicon = Lexicon::shipped();
  return first_match(lexicon.types, words) != nullptr || first_match(lexicon.weak_types, words) != nullptr ||
         first_match(lexicon.wholes, words) != nullptr;
}

// The length of the prefix of a class's short name that repeats the name of its package or file, ignoring
// case and underscores. This prefix is the name of the model.
std::size_t repeated_name_length(std::string_view class_name) {
  const std::string_view own = modules::short_class(class_name);
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::size_t longest = 0;
  for (const std::string_view part : base::split(class_name.substr(0, class_name.size() - own.size()), '.')) {
    std::size_t length = 0;
    bool is_repeated = !part.empty();
    for (const char c : part)
      if (c != '_' && is_repeated) is_repeated = length < own.size() && lower(own[length++]) == lower(c);
    // The rest must begin a new word.
    if (is_repeated && length < own.size() && own[length] >= 'A' && own[length] <= 'Z')
      longest = std::max(longest, length);
  }
  return longest;
}

// The words of a class, without the name of the model if the lexicon has one of the other words.
WordSet class_words(std::string_view class_name) {
  const std::string_view own = modules::short_class(class_name);
  if (const std::size_t name = repeated_name_length(class_name); name > 0)
    if (WordSet rest(words_of(own.substr(name))); is_in_lexicon(rest)) return rest;
  return WordSet(words_of(own));
}

// The first classification of the type whose words match. One without words always matches and comes last.
std::string_view classify(std::string_view type, std::uint64_t matching) {
  const auto& all = Lexicon::shipped().classifications;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].type == type && (all[i].alternatives.empty() || (matching >> i & 1) != 0)) return all[i].name;
  return {};
}

}  // namespace

const RoleReader::LexiconMatch& RoleReader::find_match(const modules::Module& module) {
  const std::string_view name = module.name(), class_name = module.class_name;
  const bool is_leaf = module.children.empty();
  key_.assign(name).push_back(is_leaf ? '\n' : '\t');
  key_ += class_name;
  if (const auto found = matches_.find(key_); found != matches_.end()) return found->second;
  if (matches_.size() == max_cached_matches) matches_.clear();
  const Lexicon& lexicon = Lexicon::shipped();
  // The number of a layer is not a word, so only its class counts.
  const WordSet own = base::is_digits(name) ? WordSet() : WordSet(words_of(name));
  WordSet words = own;
  words.add(class_words(class_name));
  const LexiconEntry* const type = first_match(lexicon.types, words, is_leaf);
  LexiconMatch match{.type = name_of(type),
                     .weak_type = name_of(first_match(lexicon.weak_types, words)),
                     .whole = name_of(first_match(lexicon.wholes, words)),
                     .component = name_of(first_match(lexicon.components, own)),
                     .has_components = type == nullptr || type->has_components};
  for (std::size_t i = 0; i < lexicon.classifications.size() && i < 64; ++i)
    if (lexicon.classifications[i].matches(words)) match.classifications |= std::uint64_t{1} << i;
  return matches_.emplace(key_, match).first->second;
}

Role RoleReader::of(const modules::ModuleTree& tree, ModuleId module) {
  Search search;
  for (ModuleId at = module; at != modules::root;) {
    const modules::Module& each = tree[at];
    if (ends_search(search, find_match(each), base::is_digits(each.name()))) break;
    at = each.parent;
  }
  Role& role = search.role;
  if (role.type.empty()) role.type = search.weak_type;
  if (role.type.empty()) role.type = whole_around(tree, module);
  if (!role.type.empty()) role.classification = classify(role.type, search.classifications);
  return role;
}

// A layer's number ends the search: the modules around a layer do not describe its parts.
bool RoleReader::ends_search(Search& search, const LexiconMatch& match, bool is_layer) {
  Role& role = search.role;
  // Outside the module that gave the type, only attention needs more words: `crossattention.self`.
  if (role.type.empty() || role.type == "attention") search.classifications |= match.classifications;
  if (!role.type.empty()) return is_layer;
  if (role.component.empty()) role.component = match.component;
  if (!is_layer || search.weak_type.empty()) role.type = match.type;
  if (!role.type.empty() && !match.has_components) role.component = {};
  if (search.weak_type.empty()) search.weak_type = match.weak_type;
  if (!role.type.empty() || match.whole.empty()) return is_layer;
  // A whole is not a part of the modules around it.
  if (search.weak_type.empty()) role.type = match.whole;
  return true;
}

// Layers and lists of layers have the type of the whole around them.
std::string_view RoleReader::whole_around(const modules::ModuleTree& tree, ModuleId module) {
  const modules::Module& own = tree[module];
  if (own.children.empty() || !(own.only_numbers || base::is_digits(own.name()))) return {};
  for (ModuleId at = own.parent; at != modules::root && at != modules::no_module; at = tree[at].parent) {
    const LexiconMatch& match = find_match(tree[at]);
    if (!match.type.empty() || !match.whole.empty()) return match.type.empty() ? match.whole : "";
  }
  return {};
}

}  // namespace thence::semantics
