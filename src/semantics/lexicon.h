// The lexicon: what people call the parts of a network. Data (schema/lexicon.json), generic words only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thence::semantics {

/// Words, with a bit for each: most sets that lack a word lack its bit, too, and need no comparison.
class WordSet {
 public:
  WordSet() = default;
  explicit WordSet(std::vector<std::string> words);

  void add(const WordSet& other);
  bool includes(const WordSet& other) const;

 private:
  std::vector<std::string> words_;
  std::uint64_t bits_ = 0;
};

struct LexiconEntry {
  std::string name;
  std::string type;                   // classifications: the type they refine
  std::vector<WordSet> alternatives;  // it fits a name that includes one of these
  bool leaf = false;                  // types: only of modules without modules inside
  bool places = true;                 // types: whether a component names a place in it
  bool fits(const WordSet& name_words) const;
};

struct Lexicon {
  std::vector<LexiconEntry> types, weak_types, wholes, components, classifications;
  static const Lexicon& shipped();
};

/// "self_attn" is self, attn; "LayerNorm" is layer, norm; "fc1" is fc1 and fc; "MLP" is mlp.
std::vector<std::string> words_of(std::string_view name);

}  // namespace thence::semantics
