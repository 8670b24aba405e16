// Errors that point at a position of an expression.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace thence::expression {

/// Codes of errors: docs/errors.md.
inline constexpr const char* malformed = "Q009";
inline constexpr const char* unknown_name = "Q010";
inline constexpr const char* wrong_type = "Q011";

/// A usage error. Its text has the position, counted in characters from 1, and two more lines: the
/// expression, shortened to the surroundings of the position, and a caret below it.
Error error_at(std::string_view expression, std::size_t offset, const char* code, std::string_view what,
               std::string hint);

/// Text of the user for an error: printable and shortened.
std::string quoted(std::string_view text);

}  // namespace thence::expression
