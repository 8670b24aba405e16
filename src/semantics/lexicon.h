// The lexicon: what people call the parts of a network. Data (schema/lexicon.json), generic words only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thence::semantics {

struct LexiconEntry {
  std::string name;
  std::string type;                             // classifications: the type they refine
  std::vector<std::vector<std::string>> words;  // any of these; each is words that must all be there
  bool leaf = false;                            // types: only of modules without modules inside
  bool places = true;                           // types: whether a component says where in it
  bool fits(const std::vector<std::string>& name_words) const;
};

struct Lexicon {
  std::vector<LexiconEntry> types, weak_types, wholes, components, classifications;
  static const Lexicon& shipped();
};

/// "self_attn" is self, attn; "LayerNorm" is layer, norm; "fc1" is fc1 and fc; "MLP" is mlp.
std::vector<std::string> words_of(std::string_view name);

}  // namespace thence::semantics
