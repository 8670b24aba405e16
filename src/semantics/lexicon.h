// The lexicon: common names for the parts of a network. It is data (schema/lexicon.json) and contains only
// generic words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thence::semantics {

/// A set of words with a bit mask. The mask rules out most sets that lack a word, without comparing words.
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
  std::vector<WordSet> alternatives;  // matches a name that contains all words of one set
  bool needs_leaf = false;            // types: only for modules without child modules
  bool has_components = true;         // types: whether a component names a part of it
  std::vector<std::string> types;     // components: the types that they are a part of; empty: all
  std::vector<std::string> parts;     // components: those that they consist of; empty: only themselves
  std::vector<std::string> excludes;  // operations: types that do not compute them
  bool matches(const WordSet& name_words) const;
};

struct Lexicon {
  std::vector<LexiconEntry> types, weak_types, wholes, components, operations, classifications;
  static const Lexicon& shipped();
};

/// "self_attn" is self, attn; "LayerNorm" is layer, norm; "fc1" is fc1 and fc; "MLP" is mlp.
std::vector<std::string> words_of(std::string_view name);

}  // namespace thence::semantics
