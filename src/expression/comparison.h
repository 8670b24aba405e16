// A comparison, bound to the columns of a map.
#pragma once

#include <optional>
#include <vector>

#include "base/glob.h"
#include "expression/columns.h"
#include "expression/syntax.h"

namespace thence::expression {

/// What a column is compared with: a literal, or another column.
struct BoundComparison {
  const Column* column;
  const Column* other = nullptr;  // if set, the literal has no meaning
  Comparator comparator;          // never not_equal: `is_negated`
  bool is_negated = false;
  Operand literal = {};
  std::optional<base::Glob> glob = {};  // of the comparator `glob`

  /// Whether the value satisfies the comparator, before negation. An unknown value only equals null.
  bool compare(const Value& value) const;
  /// The same for two columns. Unknown values are not equal to each other.
  bool compare(const Value& value, const Value& with) const;
  /// Evaluated once for each module, instead of once for each node.
  bool is_by_module() const { return other == nullptr && column->scope != Scope::node; }
};

}  // namespace thence::expression
