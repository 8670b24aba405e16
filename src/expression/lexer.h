// Splits an expression into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expression/syntax.h"

namespace thence::expression {

struct Token {
  enum class Kind : std::uint8_t { word, text, number, comparator, open, close, and_, or_, not_, null, end };
  Kind kind = Kind::end;
  std::size_t at = 0;          // offset in the expression
  std::string_view spelling;   // as written; valid as long as the expression
  std::string text = {};       // of `text`: without quotes
  double number = 0;           // of `number`
  Comparator comparator = {};  // of `comparator`
};

/// The last token is `end`. Returns an error for characters that start no token, for an open quote, and for a
/// text that is too long.
Result<std::vector<Token>> read_tokens(std::string_view expression);

}  // namespace thence::expression
