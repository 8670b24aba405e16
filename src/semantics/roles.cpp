#include "semantics/roles.h"

#include "base/text.h"
#include "semantics/lexicon.h"

namespace thence::semantics {
namespace {

using hierarchy::ModuleId;

std::string_view first_fit(const std::vector<LexiconEntry>& entries, const std::vector<std::string>& words) {
  for (const LexiconEntry& entry : entries)
    if (entry.fits(words)) return entry.name;
  return {};
}

std::vector<std::string> words_of_module(const hierarchy::Module& module) {
  std::vector<std::string> words = words_of(module.name());
  for (std::string& word : words_of(hierarchy::short_class(module.class_name))) words.push_back(std::move(word));
  return words;
}

std::string_view classify(std::string_view type, const std::vector<std::vector<std::string>>& names) {
  std::string_view otherwise;
  for (const LexiconEntry& entry : Lexicon::shipped().classifications) {
    if (entry.type != type) continue;
    if (entry.words.empty()) otherwise = entry.name;
    for (const auto& words : names)
      if (entry.fits(words)) return entry.name;
  }
  return otherwise;
}

}  // namespace

Role role_of(const hierarchy::ModuleTree& tree, ModuleId module) {
  const Lexicon& lexicon = Lexicon::shipped();
  Role role;
  std::string_view weak;
  std::vector<std::vector<std::string>> names;  // of the modules looked at, innermost first
  for (ModuleId at = module; at != hierarchy::root; at = tree[at].parent) {
    // A layer's number ends the search: what is around the layer says nothing about its parts.
    if (base::is_digits(tree[at].name())) {
      names.push_back(words_of(hierarchy::short_class(tree[at].class_name)));
      if (role.type.empty() && weak.empty()) role.type = first_fit(lexicon.types, names.back());
      break;
    }
    names.push_back(words_of_module(tree[at]));
    if (role.component.empty()) role.component = first_fit(lexicon.components, words_of(tree[at].name()));
    role.type = first_fit(lexicon.types, names.back());
    if (!role.type.empty()) break;
    if (weak.empty()) weak = first_fit(lexicon.weak_types, names.back());
  }
  // Where the type was found may be inside a module that tells more: `crossattention.self`.
  if (role.type == "attention" && module != hierarchy::root)
    for (ModuleId at = tree[module].parent; at != hierarchy::root && !base::is_digits(tree[at].name()); at = tree[at].parent)
      names.push_back(words_of_module(tree[at]));
  if (role.type.empty()) role.type = weak;
  if (!role.type.empty()) role.classification = classify(role.type, names);
  return role;
}

}  // namespace thence::semantics
