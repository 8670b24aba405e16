#include "semantics/roles.h"

#include <algorithm>

#include "base/text.h"
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

const LexiconEntry* find_entry(const std::vector<LexiconEntry>& entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const LexiconEntry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

bool is_listed(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The first type that matches, and that the operation of the module does not exclude.
const LexiconEntry* first_type(const WordSet& words, bool is_leaf, const LexiconEntry* operation) {
  for (const LexiconEntry& entry : Lexicon::shipped().types) {
    if (operation != nullptr && is_listed(operation->excludes, entry.name)) continue;
    if ((is_leaf || !entry.needs_leaf) && entry.matches(words)) return &entry;
  }
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

// What the nodes of a module compute; without nodes, what its class is named after.
const LexiconEntry* operation_of(const modules::Module& module, ModuleOperation::Kind kind) {
  const std::vector<LexiconEntry>& operations = Lexicon::shipped().operations;
  switch (kind) {
    case ModuleOperation::Kind::linear: return find_entry(operations, "linear_projection");
    case ModuleOperation::Kind::convolution: return find_entry(operations, "convolution");
    case ModuleOperation::Kind::other: return nullptr;
    case ModuleOperation::Kind::unknown: break;
  }
  if (!module.children.empty() || module.class_name.empty()) return nullptr;
  return first_match(operations, WordSet(words_of(modules::short_class(module.class_name))));
}

// A block of convolutions may be named after a projection.
bool is_convolution_block(const ModuleOperation& operation) {
  return operation.contains_convolution && !operation.contains_linear;
}

// The first classification of the type whose words match. One without words always matches and comes last.
std::string_view classify(std::string_view type, std::uint64_t matching) {
  const auto& all = Lexicon::shipped().classifications;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].type == type && (all[i].alternatives.empty() || (matching >> i & 1) != 0)) return all[i].name;
  return {};
}

}  // namespace

const RoleReader::LexiconMatch& RoleReader::find_match(const modules::Module& module,
                                                       const LexiconEntry* operation) {
  const std::string_view name = module.name(), class_name = module.class_name;
  const bool is_leaf = module.children.empty();
  key_.assign(name).push_back(is_leaf ? '\n' : '\t');
  key_ += class_name;
  if (operation != nullptr) key_.append("\n").append(operation->name);
  if (const auto found = matches_.find(key_); found != matches_.end()) return found->second;
  if (matches_.size() == max_cached_matches) matches_.clear();
  const Lexicon& lexicon = Lexicon::shipped();
  // The number of a layer is not a word, so only its class counts.
  const WordSet own = base::is_digits(name) ? WordSet() : WordSet(words_of(name));
  WordSet words = own;
  words.add(class_words(class_name));
  const LexiconEntry* const type = first_type(words, is_leaf, operation);
  LexiconMatch match{.type = name_of(type),
                     .weak_type = name_of(first_match(lexicon.weak_types, words)),
                     .whole = name_of(first_match(lexicon.wholes, words)),
                     .component = first_match(lexicon.components, own),
                     .has_components = type == nullptr || type->has_components};
  for (std::size_t i = 0; i < lexicon.classifications.size() && i < 64; ++i)
    if (lexicon.classifications[i].matches(words)) match.classifications |= std::uint64_t{1} << i;
  return matches_.emplace(key_, match).first->second;
}

Role RoleReader::of(const modules::ModuleTree& tree, ModuleId module, const ModuleOperation& operation) {
  Search search;
  const LexiconEntry* const computed = operation_of(tree[module], operation.kind);
  for (ModuleId at = module; at != modules::root;) {
    const modules::Module& each = tree[at];
    LexiconMatch match = find_match(each, at == module ? computed : nullptr);
    if (at == module && computed != nullptr) use_operation(match, *computed);
    if (at == module && is_convolution_block(operation) && match.weak_type == "linear_projection")
      match.weak_type = "convolution";
    if (ends_search(search, match, base::is_digits(each.name()))) break;
    at = each.parent;
  }
  Role& role = search.role;
  if (role.type.empty()) role.type = search.weak_type;
  if (role.type.empty()) role.type = whole_around(tree, module);
  if (!role.type.empty()) role.classification = classify(role.type, search.classifications);
  role.operation = name_of(computed);
  set_component(search, operation);
  return role;
}

// A convolution always has the type convolution. A linear layer has the type of the modules around it, if
// they have one.
void RoleReader::use_operation(LexiconMatch& match, const LexiconEntry& operation) {
  if (operation.name == "convolution") {
    if (match.type.empty()) match.type = operation.name;
  } else if (match.weak_type.empty()) {
    match.weak_type = operation.name;
  }
}

void RoleReader::set_component(Search& search, const ModuleOperation& operation) {
  Role& role = search.role;
  const LexiconEntry* component = search.component;
  if (component != nullptr && !component->types.empty() && !is_listed(component->types, role.type))
    component = nullptr;
  // Without a name, the projections of attention are recognised by their use.
  if (component == nullptr && operation.kind == ModuleOperation::Kind::linear && role.type == "attention") {
    const std::string_view use = operation.is_split_in_three ? "qkv"
                                 : operation.reads_product   ? "output"
                                                             : "";
    component = find_entry(Lexicon::shipped().components, use);
  }
  role.component = name_of(component);
  if (component != nullptr) role.component_parts = component->parts;
}

// A layer's number ends the search: the modules around a layer do not describe its parts.
bool RoleReader::ends_search(Search& search, const LexiconMatch& match, bool is_layer) {
  Role& role = search.role;
  // Outside the module that gave the type, only attention needs more words: `crossattention.self`.
  if (role.type.empty() || role.type == "attention") search.classifications |= match.classifications;
  if (!role.type.empty()) return is_layer;
  if (search.component == nullptr) search.component = match.component;
  if (!is_layer || search.weak_type.empty()) role.type = match.type;
  if (!role.type.empty() && !match.has_components) search.component = nullptr;
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
