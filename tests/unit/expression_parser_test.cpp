// The syntax trees of expressions.
#include "expression/parser.h"

#include <gtest/gtest.h>

#include "expression/limits.h"

namespace thence::test {
namespace {

using expression::Expression;
using expression::Term;

// (and a (or b (not c))), with the columns of the comparisons.
std::string show(const Expression& expression, const Term& term) {
  if (term.kind == Term::Kind::comparison) return expression.comparisons[term.comparison].left.text;
  std::string text = term.kind == Term::Kind::all_of   ? "(and"
                     : term.kind == Term::Kind::any_of ? "(or"
                                                       : "(not";
  for (const Term& operand : term.operands) text += " " + show(expression, operand);
  return text + ")";
}

std::string parsed(const std::string& text) {
  const Result<Expression> expression = expression::parse(text);
  return expression ? show(*expression, expression->root) : expression.error().text;
}

TEST(Parser, BindsNotMoreThanAndMoreThanOr) {
  EXPECT_EQ(parsed("a=1"), "a");
  EXPECT_EQ(parsed("a=1 or b=1 and c=1"), "(or a (and b c))");
  EXPECT_EQ(parsed("(a=1 or b=1) and c=1"), "(and (or a b) c)");
  EXPECT_EQ(parsed("not a=1 and b=1"), "(and (not a) b)");
  EXPECT_EQ(parsed("not (a=1 and not not b=1)"), "(not (and a (not (not b))))");
  EXPECT_EQ(parsed("a=1 or b=1 or c=1 or d=1"), "(or a b c d)");
  EXPECT_EQ(parsed("((a=1))"), "a");
}

TEST(Parser, PointsAtErrors) {
  EXPECT_EQ(parsed("a = 1 and"),
            "expression, position 10: expected a comparison, found the end\n    a = 1 and\n             ^");
  EXPECT_EQ(parsed(""), "expression, position 1: expected a comparison, found the end\n    \n    ^");
  EXPECT_EQ(parsed("a 1"), "expression, position 3: expected =, !=, <, <=, >, >= or ~\n    a 1\n      ^");
  EXPECT_EQ(parsed("a = and"),
            "expression, position 5: expected a value or a column, found 'and'\n    a = and\n        ^");
  EXPECT_EQ(parsed("(a = 1"), "expression, position 1: this parenthesis is not closed\n    (a = 1\n    ^");
  EXPECT_EQ(parsed("a = 1)"),
            "expression, position 6: this parenthesis was not opened\n    a = 1)\n         ^");
  EXPECT_EQ(
      parsed("a = 1 b = 2"),
      "expression, position 7: expected 'and', 'or' or the end, found 'b'\n    a = 1 b = 2\n          ^");
  EXPECT_EQ(parsed("(a = 1 b = 2)").substr(0, 66),
            "expression, position 8: expected 'and', 'or' or ')', found 'b'\n   ");
}

TEST(Parser, LimitsNestingAndComparisons) {
  const std::size_t depth = expression::max_nesting;
  EXPECT_EQ(parsed(std::string(depth, '(') + "a=1" + std::string(depth, ')')), "a");
  EXPECT_EQ(parsed(std::string(60'000, '(')).substr(0, 50),
            "expression, position 101: more than 100 parenthese");
  std::string nots;
  for (int i = 0; i < 15'000; ++i) nots += "not ";
  EXPECT_EQ(parsed(nots + "a=1").substr(0, 37), "expression, position 401: more than 1");
  std::string chain = "a=1";
  for (std::size_t i = 1; i < expression::max_comparisons; ++i) chain += " or a=1";
  EXPECT_EQ(parsed(chain).substr(0, 5), "(or a");
  EXPECT_EQ(parsed(chain + " or a=1").substr(0, 46), "expression, position 7001: more than 1000 comp");
}

TEST(Parser, ShowsTheSurroundingsInLongExpressions) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "name = 'é' and ";
  const std::string message = parsed(text + "?");
  const std::size_t line = message.find('\n'), caret = message.find('\n', line + 1);
  EXPECT_EQ(message.substr(0, line), "expression, position 301: unexpected character");
  EXPECT_EQ(message.substr(line, 8), "\n    ...");
  EXPECT_EQ(message.substr(caret),
            "\n    " + std::string(3 + expression::max_excerpt_characters - 1, ' ') + "^");
}

}  // namespace
}  // namespace thence::test
