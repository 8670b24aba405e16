#include "expression/check_names.h"

#include "base/format.h"
#include "expression/error_at.h"
#include "expression/known_names.h"

namespace thence::expression {
namespace {

std::string_view noun_of(Vocabulary vocabulary) {
  static constexpr std::string_view nouns[] = {"value", "operator",  "domain", "module", "class", "role",
                                               "role",  "component", "source", "level",  "reason"};
  return nouns[static_cast<std::size_t>(vocabulary)];
}

bool is_checked(const BoundComparison& comparison) {
  const Operand& literal = comparison.literal;
  return comparison.other == nullptr && literal.kind == Operand::Kind::text &&
         !(comparison.glob && literal.text.find_first_of("*?") != std::string::npos);
}

}  // namespace

std::optional<Error> check_names(std::string_view expression, const std::vector<BoundComparison>& comparisons,
                                 const semantics::Map& map) {
  KnownNames known(map);
  for (const BoundComparison& comparison : comparisons) {
    if (!is_checked(comparison)) continue;
    const Vocabulary vocabulary = comparison.column->vocabulary;
    const Operand& name = comparison.literal;
    if (known.has(vocabulary, name.text)) continue;
    return error_at(expression, name.at, unknown_name,
                    base::format("the model has no {} '{}'", noun_of(vocabulary), quoted(name.text)),
                    known.hint(vocabulary, name.text));
  }
  return std::nullopt;
}

}  // namespace thence::expression
