#include "semantics/lexicon.h"

#include <algorithm>

#include "base/embedded.h"
#include "base/json.h"
#include "base/text.h"
#include "semantics/thresholds.h"

namespace thence::semantics {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool contains_word(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::uint64_t mask_bit(std::string_view word) {
  if (word.empty()) return 0;
  const auto first = static_cast<unsigned char>(word.front()), last = static_cast<unsigned char>(word.back());
  return std::uint64_t{1} << ((first + 5 * last + 11 * word.size()) % 64);
}

// A word begins at the B of "aB", "1B" and "ABc".
bool starts_word(std::string_view name, std::size_t i) {
  if (!is_upper(name[i]) || i == 0) return false;
  const char before = name[i - 1];
  return is_lower(before) || is_digit(before) ||
         (is_upper(before) && i + 1 < name.size() && is_lower(name[i + 1]));
}

// Moves a word to the list if it is new: "fc1" as "fc1" and as "fc".
void add_word(std::string& word, std::vector<std::string>& words) {
  if (!word.empty() && words.size() < max_words) {
    if (!contains_word(words, word)) words.push_back(word);
    while (!word.empty() && is_digit(word.back())) word.pop_back();
    if (!word.empty() && !contains_word(words, word)) words.push_back(word);
  }
  word.clear();
}

std::vector<LexiconEntry> read_entries(base::JsonValue list) {
  std::vector<LexiconEntry> result;
  for (const base::JsonValue item : list.items()) {
    LexiconEntry entry;
    entry.name = item["name"].text_or({});
    if (const auto type = item["type"].text()) entry.type = *type;
    for (const auto& [key, flag] :
         {std::pair("leaf", &entry.needs_leaf), std::pair("places", &entry.has_components)})
      if (const auto value = item[key].boolean()) *flag = *value;
    for (const auto& [key, list_of_names] :
         {std::pair("types", &entry.types), std::pair("parts", &entry.parts),
          std::pair("excludes", &entry.excludes)})
      for (const base::JsonValue name : item[key].items()) list_of_names->emplace_back(name.text_or({}));
    for (const base::JsonValue word : item["words"].items()) {
      std::vector<std::string> all;
      for (const std::string_view part : base::split(word.text_or({}), '+')) all.emplace_back(part);
      entry.alternatives.emplace_back(std::move(all));
    }
    result.push_back(std::move(entry));
  }
  return result;
}

}  // namespace

WordSet::WordSet(std::vector<std::string> words) : words_(std::move(words)) {
  for (const std::string& word : words_) bits_ |= mask_bit(word);
}

void WordSet::add(const WordSet& other) {
  words_.insert(words_.end(), other.words_.begin(), other.words_.end());
  bits_ |= other.bits_;
}

bool WordSet::includes(const WordSet& other) const {
  if ((other.bits_ & ~bits_) != 0) return false;
  return std::all_of(other.words_.begin(), other.words_.end(),
                     [&](const std::string& word) { return contains_word(words_, word); });
}

bool LexiconEntry::matches(const WordSet& name_words) const {
  return std::any_of(alternatives.begin(), alternatives.end(),
                     [&](const WordSet& words) { return name_words.includes(words); });
}

const Lexicon& Lexicon::shipped() {
  static const Lexicon lexicon = [] {
    const base::JsonDocument document(base::embedded_file("lexicon.json"));
    const base::JsonValue file = document.root();
    return Lexicon{read_entries(file["types"]),      read_entries(file["weak_types"]),
                   read_entries(file["wholes"]),     read_entries(file["components"]),
                   read_entries(file["operations"]), read_entries(file["classifications"])};
  }();
  return lexicon;
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool is_separator = !is_upper(c) && !is_lower(c) && !is_digit(c);
    if (is_separator || starts_word(name, i)) add_word(word, words);
    if (!is_separator) word.push_back(is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c);
  }
  add_word(word, words);
  return words;
}

}  // namespace thence::semantics
