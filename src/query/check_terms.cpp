// Misspelt names in selectors. Roles, components, operators and classes are words that exist or do not, so an
// unknown one is wrong usage. Paths and parameters are whatever the model has, so a query may ask for them.

#include <optional>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "expression/error_at.h"
#include "expression/known_names.h"
#include "query/limits.h"
#include "query/selector.h"

namespace thence::query {
namespace {

using expression::KnownNames;
using expression::Vocabulary;

constexpr std::pair<SelectorKind, Vocabulary> checked_kinds[] = {
    {SelectorKind::class_name, Vocabulary::classes},
    {SelectorKind::role, Vocabulary::roles},
    {SelectorKind::component, Vocabulary::components},
    {SelectorKind::op, Vocabulary::operators},
};

bool has_wildcard(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

std::optional<Error> check_name(const Term& term, Vocabulary vocabulary, std::string_view name,
                                std::string_view noun, KnownNames& known) {
  if (has_wildcard(name) || known.has(vocabulary, name)) return std::nullopt;
  const std::string shown = base::printable(name.substr(0, max_shown_bytes));
  return Error{ErrorKind::usage, expression::unknown_name,
               base::format("{}: the model has no {} '{}'", flag_of(term.kind), noun, shown),
               known.hint(vocabulary, name)};
}

}  // namespace

std::optional<Error> check_terms(const Selector& selector, const semantics::Map& map) {
  KnownNames known(map);
  for (const auto& [kind, vocabulary] : checked_kinds)
    for (const Term& term : selector.terms(kind)) {
      std::string_view name = term.text;
      if (term.domain) {
        const std::size_t colons = name.find("::");
        if (auto error = check_name(term, Vocabulary::domains, name.substr(0, colons), "domain", known))
          return error;
        name = name.substr(colons + 2);
      }
      if (auto error = check_name(term, vocabulary, name, noun_of(kind), known)) return error;
    }
  return std::nullopt;
}

}  // namespace thence::query
