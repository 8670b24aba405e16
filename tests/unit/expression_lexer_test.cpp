// Tokens of expressions.
#include "expression/lexer.h"

#include <gtest/gtest.h>

#include "expression/limits.h"

namespace thence::test {
namespace {

using expression::Token;
using Kind = Token::Kind;

std::vector<Kind> kinds(std::string_view text) {
  std::vector<Kind> kinds;
  const Result<std::vector<Token>> tokens = expression::read_tokens(text);
  if (!tokens) return kinds;
  for (const Token& token : *tokens) kinds.push_back(token.kind);
  return kinds;
}

std::string message(std::string_view text) {
  const Result<std::vector<Token>> tokens = expression::read_tokens(text);
  return tokens ? "" : tokens.error().text + " | " + tokens.error().hint;
}

TEST(Lexer, SplitsExpressions) {
  EXPECT_EQ(kinds("a='x' AND(b>=-1.5)or not c!=Null"),
            (std::vector<Kind>{Kind::word, Kind::comparator, Kind::text, Kind::and_, Kind::open, Kind::word,
                               Kind::comparator, Kind::number, Kind::close, Kind::or_, Kind::not_, Kind::word,
                               Kind::comparator, Kind::null, Kind::end}));
  EXPECT_EQ(kinds(" \t\n"), std::vector<Kind>{Kind::end});
  EXPECT_EQ(kinds("android nullable"), (std::vector<Kind>{Kind::word, Kind::word, Kind::end}));
}

TEST(Lexer, DoublesQuotes) {
  EXPECT_EQ((*expression::read_tokens("'it''s'"))[0].text, "it's");
  EXPECT_EQ((*expression::read_tokens(R"("say ""x""")"))[0].text, R"(say "x")");
  EXPECT_EQ((*expression::read_tokens("''"))[0].text, "");
  EXPECT_EQ((*expression::read_tokens("'a''b' 'c'"))[1].text, "c");
}

TEST(Lexer, ReadsNumbers) {
  EXPECT_EQ((*expression::read_tokens("-12"))[0].number, -12);
  EXPECT_EQ((*expression::read_tokens("0.95)"))[0].number, 0.95);
  EXPECT_EQ((*expression::read_tokens("1e3"))[0].number, 1000);
  for (const char* text : {"12abc", "1.2.3", "1e999", "0x10"})
    EXPECT_NE(message(text).find("not a number"), std::string::npos) << text;
}

TEST(Lexer, PointsAtErrors) {
  EXPECT_EQ(
      message("a = 'open"),
      "expression, position 5: this quote is not closed\n    a = 'open\n        ^ | end the text with '");
  EXPECT_EQ(message("a == 1"),
            "expression, position 3: unknown operator '=='\n    a == 1\n      ^ | write =");
  EXPECT_EQ(message("a && b").substr(0, 44), "expression, position 3: unknown operator '&&");
  EXPECT_EQ(message("a # b").substr(0, 44), "expression, position 3: unexpected character");
  EXPECT_EQ(message("- 1").substr(0, 44), "expression, position 1: unexpected character");
}

TEST(Lexer, LimitsTheLength) {
  EXPECT_EQ(message(std::string(1 << 20, 'a')).substr(0, 36), "the expression has 1048576 bytes, mo");
  EXPECT_EQ(message(std::string(expression::max_expression_bytes, 'a')), "");
}

}  // namespace
}  // namespace thence::test
