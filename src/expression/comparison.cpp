#include "expression/comparison.h"

#include <algorithm>

#include "modules/class_glob.h"

namespace thence::expression {
namespace {

bool compare_numbers(double left, Comparator comparator, double right) {
  switch (comparator) {
    case Comparator::less: return left < right;
    case Comparator::less_equal: return left <= right;
    case Comparator::greater: return left > right;
    case Comparator::greater_equal: return left >= right;
    default: return left == right;
  }
}

bool glob_matches(const base::Glob& glob, Type type, std::string_view text) {
  switch (type) {
    case Type::path: return glob.matches(text);
    case Type::class_name: return modules::class_matches(glob, text);
    default: return glob.matches_word(text);
  }
}

}  // namespace

bool BoundComparison::compare(const Value& value) const {
  switch (literal.kind) {
    case Operand::Kind::null: return value.is_unknown();
    case Operand::Kind::number:
      // Layers below zero are counted from the end.
      if (literal.number < 0 && value.from_end)
        return compare_numbers(*value.from_end, comparator, literal.number);
      return value.number && compare_numbers(*value.number, comparator, literal.number);
    default:
      return std::any_of(value.texts.begin(), value.texts.end(), [&](std::string_view text) {
        return glob ? glob_matches(*glob, column->type, text) : text == literal.text;
      });
  }
}

bool BoundComparison::compare(const Value& value, const Value& with) const {
  if (value.number && with.number) return compare_numbers(*value.number, comparator, *with.number);
  return std::any_of(value.texts.begin(), value.texts.end(), [&](std::string_view text) {
    return std::find(with.texts.begin(), with.texts.end(), text) != with.texts.end();
  });
}

}  // namespace thence::expression
