// Parses expressions. The grammar, with words in any case:
//
//   expression  := conjunction { "or" conjunction }
//   conjunction := factor { "and" factor }
//   factor      := "not" factor | "(" expression ")" | comparison
//   comparison  := operand ( "=" | "!=" | "<" | "<=" | ">" | ">=" | "~" ) operand
//   operand     := column | 'text' | "text" | number | "null"
#pragma once

#include <string>

#include "base/result.h"
#include "expression/syntax.h"

namespace thence::expression {

/// Returns a usage error that points at the position if the expression is malformed or exceeds a limit. Names
/// and types are checked later, against a map.
Result<Expression> parse(std::string text);

}  // namespace thence::expression
