#include "expression/parser.h"

#include <optional>
#include <utility>

#include "base/format.h"
#include "expression/error_at.h"
#include "expression/lexer.h"
#include "expression/limits.h"

namespace thence::expression {
namespace {

using Kind = Token::Kind;

constexpr const char* comparison_hint = "write a comparison such as op_type = 'MatMul' or layer_id >= -2";

// A recursive descent parser. After a failure, the results of its functions have no meaning.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens) : text_(text), tokens_(std::move(tokens)) {}

  Term parse_expression() { return parse_chain(Kind::or_, Term::Kind::any_of, &Parser::parse_conjunction); }

  std::optional<Error> finish() {
    if (!failure_ && token().kind == Kind::close)
      fail("this parenthesis was not opened", "remove it, or open one before");
    if (!failure_ && token().kind != Kind::end)
      fail(base::format("expected 'and', 'or' or the end, found '{}'", quoted(token().spelling)),
           "join comparisons by and, or");
    return failure_;
  }

  std::vector<Comparison> comparisons;

 private:
  const Token& token() const { return tokens_[next_]; }
  Token take() { return std::move(tokens_[next_ < tokens_.size() - 1 ? next_++ : next_]); }

  Term parse_chain(Kind separator, Term::Kind kind, Term (Parser::*parse_link)()) {
    Term first = (this->*parse_link)();
    if (failure_ || token().kind != separator) return first;
    Term chain{.kind = kind, .operands = {}};
    chain.operands.push_back(std::move(first));
    while (!failure_ && token().kind == separator) {
      take();
      chain.operands.push_back((this->*parse_link)());
    }
    return chain;
  }

  Term parse_conjunction() { return parse_chain(Kind::and_, Term::Kind::all_of, &Parser::parse_factor); }

  Term parse_factor() {
    if (failure_) return {};
    if (token().kind != Kind::not_ && token().kind != Kind::open) return parse_comparison();
    if (++nesting_ > max_nesting) {
      fail(base::format("more than {} parentheses or 'not' around one another", max_nesting),
           "remove those that change nothing");
      return {};
    }
    Term term = token().kind == Kind::not_ ? parse_negation() : parse_parentheses();
    --nesting_;
    return term;
  }

  Term parse_negation() {
    take();
    Term negation{.kind = Term::Kind::negation, .operands = {}};
    negation.operands.push_back(parse_factor());
    return negation;
  }

  Term parse_parentheses() {
    const std::size_t opened_at = take().at;
    Term inner = parse_expression();
    if (failure_) return inner;
    if (token().kind == Kind::end)
      fail_at(opened_at, "this parenthesis is not closed", "add ) after the last comparison of it");
    else if (token().kind != Kind::close)
      fail(base::format("expected 'and', 'or' or ')', found '{}'", quoted(token().spelling)),
           "join comparisons by and, or");
    else
      take();
    return inner;
  }

  Term parse_comparison() {
    Comparison comparison{};
    comparison.left = parse_operand("expected a comparison");
    if (failure_) return {};
    if (token().kind != Kind::comparator) {
      fail("expected =, !=, <, <=, >, >= or ~", comparison_hint);
      return {};
    }
    comparison.at = token().at;
    comparison.comparator = take().comparator;
    comparison.right = parse_operand("expected a value or a column");
    if (failure_) return {};
    if (comparisons.size() == max_comparisons) {
      fail_at(comparison.left.at, base::format("more than {} comparisons", max_comparisons),
              "use globs instead of many comparisons");
      return {};
    }
    comparisons.push_back(std::move(comparison));
    return {.kind = Term::Kind::comparison, .comparison = comparisons.size() - 1, .operands = {}};
  }

  Operand parse_operand(std::string_view expected) {
    switch (token().kind) {
      case Kind::word:
        return {.kind = Operand::Kind::column, .text = std::string(token().spelling), .at = take().at};
      case Kind::text: {
        const std::size_t at = token().at;
        return {.kind = Operand::Kind::text, .text = take().text, .at = at};
      }
      case Kind::number: return {.kind = Operand::Kind::number, .number = token().number, .at = take().at};
      case Kind::null: return {.kind = Operand::Kind::null, .at = take().at};
      case Kind::end: fail(base::format("{}, found the end", expected), comparison_hint); return {};
      default:
        fail(base::format("{}, found '{}'", expected, quoted(token().spelling)), comparison_hint);
        return {};
    }
  }

  void fail(std::string_view what, std::string hint) { fail_at(token().at, what, std::move(hint)); }
  void fail_at(std::size_t offset, std::string_view what, std::string hint) {
    if (!failure_) failure_ = error_at(text_, offset, malformed, what, std::move(hint));
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0, nesting_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

Result<Expression> parse(std::string text) {
  Result<std::vector<Token>> tokens = read_tokens(text);
  if (!tokens) return tokens.error();
  Parser parser(text, *std::move(tokens));
  Term root = parser.parse_expression();
  if (const std::optional<Error> error = parser.finish()) return *error;
  return Expression{std::move(text), std::move(parser.comparisons), std::move(root)};
}

}  // namespace thence::expression
