#include "expression/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/format.h"
#include "expression/error_at.h"
#include "expression/limits.h"

namespace thence::expression {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_word_start(c) || is_digit(c); }

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equals_keyword(std::string_view word, std::string_view keyword) {
  return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(),
                    [](char a, char b) { return to_lower(a) == b; });
}

Token::Kind kind_of_word(std::string_view word) {
  constexpr std::pair<std::string_view, Token::Kind> keywords[] = {{"and", Token::Kind::and_},
                                                                   {"or", Token::Kind::or_},
                                                                   {"not", Token::Kind::not_},
                                                                   {"null", Token::Kind::null}};
  for (const auto& [keyword, kind] : keywords)
    if (equals_keyword(word, keyword)) return kind;
  return Token::Kind::word;
}

// Longer spellings come before those that they start with.
constexpr std::pair<std::string_view, Comparator> comparators[] = {
    {"!=", Comparator::not_equal}, {"<=", Comparator::less_equal}, {">=", Comparator::greater_equal},
    {"=", Comparator::equal},      {"<", Comparator::less},        {">", Comparator::greater},
    {"~", Comparator::glob},
};

// What other languages write, and what it is here.
constexpr std::pair<std::string_view, std::string_view> foreign_operators[] = {
    {"==", "="}, {"<>", "!="}, {"=~", "~"}, {"!~", "not ... ~"}, {"&&", "and"}, {"||", "or"}, {"!", "not"},
};

class Lexer {
 public:
  explicit Lexer(std::string_view expression) : expression_(expression) {}

  Result<std::vector<Token>> read() {
    std::vector<Token> tokens;
    while (!failure_) {
      while (at_ < expression_.size() && is_space(expression_[at_])) ++at_;
      tokens.push_back(read_token());
      if (tokens.back().kind == Token::Kind::end) break;
    }
    if (failure_) return *failure_;
    return tokens;
  }

 private:
  std::string_view rest() const { return expression_.substr(at_); }

  Token read_token() {
    if (at_ >= expression_.size()) return {.kind = Token::Kind::end, .at = at_, .spelling = {}};
    const char first = expression_[at_];
    if (is_word_start(first)) return read_word();
    if (is_digit(first) || (first == '-' && rest().size() > 1 && is_digit(rest()[1]))) return read_number();
    if (first == '\'' || first == '"') return read_text(first);
    if (first == '(') return take({.kind = Token::Kind::open}, 1);
    if (first == ')') return take({.kind = Token::Kind::close}, 1);
    return read_comparator();
  }

  Token take(Token token, std::size_t length) {
    token.at = at_;
    token.spelling = rest().substr(0, length);
    at_ += length;
    return token;
  }

  Token read_word() {
    const std::string_view from = rest();
    const auto end =
        static_cast<std::size_t>(std::find_if_not(from.begin(), from.end(), is_word) - from.begin());
    return take({.kind = kind_of_word(from.substr(0, end))}, end);
  }

  Token read_number() {
    const std::string_view from = rest();
    double number = 0;
    const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), number);
    const auto length = static_cast<std::size_t>(end - from.data());
    const bool ends = length == from.size() || (!is_word(from[length]) && from[length] != '.');
    if (error != std::errc() || !ends || !std::isfinite(number))
      return fail("this is not a number", "write a number such as 3, -1 or 0.95");
    return take({.kind = Token::Kind::number, .number = number}, length);
  }

  // As in SQL, a quote inside a text is written twice.
  Token read_text(char quote) {
    const std::string_view from = rest();
    std::string text;
    for (std::size_t i = 1; i < from.size(); ++i) {
      if (from[i] != quote) {
        text += from[i];
      } else if (i + 1 < from.size() && from[i + 1] == quote) {
        text += from[i++];
      } else {
        return take({.kind = Token::Kind::text, .text = std::move(text)}, i + 1);
      }
    }
    return fail("this quote is not closed", base::format("end the text with {}", quote));
  }

  Token read_comparator() {
    for (const auto& [foreign, ours] : foreign_operators)
      if (rest().starts_with(foreign) && !rest().starts_with("!="))
        return fail(base::format("unknown operator '{}'", foreign), base::format("write {}", ours));
    for (const auto& [spelling, comparator] : comparators)
      if (rest().starts_with(spelling))
        return take({.kind = Token::Kind::comparator, .comparator = comparator}, spelling.size());
    return fail("unexpected character",
                "write comparisons such as op_type = 'MatMul', joined by and, or, not");
  }

  Token fail(std::string_view what, std::string hint) {
    failure_ = error_at(expression_, at_, malformed, what, std::move(hint));
    return {};
  }

  std::string_view expression_;
  std::size_t at_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::vector<Token>> read_tokens(std::string_view expression) {
  if (expression.size() > max_expression_bytes)
    return Error{
        ErrorKind::usage, malformed,
        base::format("the expression has {} bytes, more than {}", expression.size(), max_expression_bytes),
        "use globs instead of many comparisons"};
  return Lexer(expression).read();
}

}  // namespace thence::expression
