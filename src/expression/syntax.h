// The syntax tree of an expression such as `layer_id >= -2 and not (role = 'norm' or op_type ~ 'Reduce*')`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace thence::expression {

enum class Comparator : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal, glob };

/// One side of a comparison.
struct Operand {
  enum class Kind : std::uint8_t { column, text, number, null };
  Kind kind = Kind::null;
  std::string text = {};  // the name of the column, or the text without quotes
  double number = 0;
  std::size_t at = 0;  // offset in the expression

  bool is_column() const { return kind == Kind::column; }
};

struct Comparison {
  Operand left, right;
  Comparator comparator;
  std::size_t at;  // of the comparator
};

/// A node of the tree. A chain such as `a or b or c` is one node with three operands, so that the depth of
/// the tree is that of the parentheses.
struct Term {
  enum class Kind : std::uint8_t { comparison, all_of, any_of, negation };
  Kind kind = Kind::comparison;
  std::size_t comparison = 0;       // in Expression::comparisons
  std::vector<Term> operands = {};  // of the other kinds; a negation has one
};

struct Expression {
  std::string text;  // as written
  std::vector<Comparison> comparisons;
  Term root;
};

}  // namespace thence::expression
