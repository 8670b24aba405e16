// The names that columns can have in a map, to report misspelt ones.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "expression/columns.h"

namespace thence::expression {

class KnownNames {
 public:
  explicit KnownNames(const semantics::Map& map) : map_(map) {}

  /// Whether a name occurs in the map, or is a word that thence could report for another model: an operator
  /// that exists, a role of the lexicon.
  bool has(Vocabulary vocabulary, std::string_view name);
  /// How to correct a name that is not known: the nearest ones, if there are any.
  std::string hint(Vocabulary vocabulary, std::string_view name);

 private:
  using Names = std::unordered_set<std::string>;
  const Names& names(Vocabulary vocabulary);
  Names read_names(Vocabulary vocabulary) const;
  /// Names that are not misspelt although they do not occur in the map.
  const Names& absent_names(Vocabulary vocabulary);
  void add_roles(Names& names) const;

  const semantics::Map& map_;
  std::array<std::optional<Names>, static_cast<std::size_t>(Vocabulary::reasons) + 1> names_, absent_names_;
};

}  // namespace thence::expression
