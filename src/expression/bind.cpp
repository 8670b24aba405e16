#include "expression/bind.h"

#include <optional>

#include "base/format.h"
#include "base/nearest_names.h"
#include "expression/error_at.h"

namespace thence::expression {
namespace {

std::string_view spelling_of(Comparator comparator) {
  static constexpr std::string_view spellings[] = {"=", "!=", "<", "<=", ">", ">=", "~"};
  return spellings[static_cast<std::size_t>(comparator)];
}

// The comparator after exchanging the sides.
Comparator mirrored(Comparator comparator) {
  switch (comparator) {
    case Comparator::less: return Comparator::greater;
    case Comparator::less_equal: return Comparator::greater_equal;
    case Comparator::greater: return Comparator::less;
    case Comparator::greater_equal: return Comparator::less_equal;
    default: return comparator;
  }
}

bool is_equality(Comparator comparator) {
  return comparator == Comparator::equal || comparator == Comparator::not_equal;
}

class Binder {
 public:
  explicit Binder(const Expression& expression) : text_(expression.text) {}

  Result<BoundComparison> bind(Comparison comparison) const {
    if (!comparison.left.is_column() && comparison.right.is_column() &&
        comparison.comparator != Comparator::glob) {
      std::swap(comparison.left, comparison.right);
      comparison.comparator = mirrored(comparison.comparator);
    }
    if (!comparison.left.is_column()) return no_column_error(comparison);
    const Column* const column = find_column(comparison.left.text);
    if (column == nullptr) return unknown_column_error(comparison.left, false);
    BoundComparison bound{.column = column,
                          .comparator = comparison.comparator,
                          .is_negated = comparison.comparator == Comparator::not_equal};
    if (bound.is_negated) bound.comparator = Comparator::equal;
    const std::optional<Error> error =
        comparison.right.is_column() ? bind_column(comparison, bound) : bind_literal(comparison, bound);
    if (error) return *error;
    return bound;
  }

 private:
  std::optional<Error> bind_column(const Comparison& comparison, BoundComparison& bound) const {
    bound.other = find_column(comparison.right.text);
    if (bound.other == nullptr) return unknown_column_error(comparison.right, is_text(bound.column->type));
    if (comparison.comparator == Comparator::glob)
      return type_error(comparison.right.at, "~ needs a pattern", "write the pattern in quotes: ~ 'Mat*'");
    for (const Column* const column : {bound.column, bound.other})
      if (column->scope == Scope::members)
        return type_error(comparison.at, base::format("'{}' cannot be compared with a column", column->name),
                          base::format("compare it with a path: {} = 'encoder'", column->name));
    if (is_text(bound.column->type) != is_text(bound.other->type))
      return type_error(comparison.at,
                        base::format("'{}' is {}, '{}' is {}", bound.column->name, kind_of(*bound.column),
                                     bound.other->name, kind_of(*bound.other)),
                        "compare columns of one type");
    return check_comparator(comparison, *bound.column);
  }

  std::optional<Error> bind_literal(const Comparison& comparison, BoundComparison& bound) const {
    const Operand& literal = comparison.right;
    const Column& column = *bound.column;
    if (literal.kind == Operand::Kind::null && !is_equality(comparison.comparator))
      return type_error(
          comparison.at,
          base::format("null has no order, so {} cannot compare it", spelling_of(comparison.comparator)),
          base::format("write {} = null or {} != null", column.name, column.name));
    if (const std::optional<Error> error = check_comparator(comparison, column)) return error;
    if (literal.kind == Operand::Kind::number && is_text(column.type))
      return type_error(literal.at, base::format("'{}' is text, not a number", column.name),
                        "write the value in quotes");
    if (literal.kind == Operand::Kind::text && !is_text(column.type))
      return type_error(literal.at, base::format("'{}' is a number, not text", column.name),
                        "write a number without quotes");
    bound.literal = literal;
    if (literal.kind != Operand::Kind::text) return std::nullopt;
    if (literal.text.size() > base::Glob::max_length)
      return error_at(text_, literal.at, malformed,
                      base::format("this text is longer than {} bytes", base::Glob::max_length),
                      "shorten it");
    if (comparison.comparator == Comparator::glob) bound.glob.emplace(literal.text);
    return std::nullopt;
  }

  std::optional<Error> check_comparator(const Comparison& comparison, const Column& column) const {
    const bool is_glob = comparison.comparator == Comparator::glob;
    if (is_glob && !is_text(column.type))
      return type_error(comparison.at, base::format("~ compares texts, and '{}' is a number", column.name),
                        "use =, !=, <, <=, > or >=");
    if (is_text(column.type) && !is_glob && !is_equality(comparison.comparator))
      return type_error(comparison.at,
                        base::format("{} compares numbers, and '{}' is text",
                                     spelling_of(comparison.comparator), column.name),
                        "use =, != or ~");
    return std::nullopt;
  }

  Error no_column_error(const Comparison& comparison) const {
    if (comparison.right.is_column())
      return type_error(comparison.left.at, "the pattern of ~ must be on the right",
                        base::format("write {} ~ 'pattern'", quoted(comparison.right.text)));
    return type_error(comparison.left.at, "a comparison needs a column",
                      "write one without quotes, such as op_type or module");
  }

  Error unknown_column_error(const Operand& operand, bool may_be_text) const {
    base::NameHint names(operand.text);
    for (const Column& column : all_columns()) names.add(column.name);
    std::string hint = names.text();
    if (may_be_text) {
      if (!hint.empty()) hint += "; ";
      hint += base::format("text needs quotes: '{}'", quoted(operand.text));
    } else if (hint.empty()) {
      hint = "columns: " + column_list();
    }
    return error_at(text_, operand.at, unknown_name,
                    base::format("unknown column '{}'", quoted(operand.text)), std::move(hint));
  }

  static std::string column_list() {
    std::vector<std::string_view> names;
    for (const Column& column : all_columns()) names.push_back(column.name);
    return base::format("{}", base::joined(names, ", "));
  }

  static std::string_view kind_of(const Column& column) { return is_text(column.type) ? "text" : "a number"; }

  Error type_error(std::size_t at, std::string_view what, std::string hint) const {
    return error_at(text_, at, wrong_type, what, std::move(hint));
  }

  std::string_view text_;
};

}  // namespace

Result<std::vector<BoundComparison>> bind_comparisons(const Expression& expression) {
  const Binder binder(expression);
  std::vector<BoundComparison> bound;
  bound.reserve(expression.comparisons.size());
  for (const Comparison& comparison : expression.comparisons) {
    Result<BoundComparison> one = binder.bind(comparison);
    if (!one) return one.error();
    bound.push_back(*std::move(one));
  }
  return bound;
}

}  // namespace thence::expression
