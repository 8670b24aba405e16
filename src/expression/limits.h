// Limits of expressions. They bound the time for a model of a million nodes, whatever the expression.
#pragma once

#include <cstddef>

namespace thence::expression {

/// The text of an expression. A longer one was generated: globs or SQL suit it better.
// errors.md: an expression (`--where`)
inline constexpr std::size_t max_expression_bytes = std::size_t{64} << 10;

/// Parentheses and `not` around one another. The parser calls itself for each.
// errors.md: an expression (`--where`)
inline constexpr std::size_t max_nesting = 100;

/// Comparisons, each of which may be evaluated for every node.
// errors.md: an expression (`--where`)
inline constexpr std::size_t max_comparisons = 1000;

/// The part of an expression that an error shows, in characters.
inline constexpr std::size_t max_excerpt_characters = 72;

/// Text of the user in an error, in bytes.
inline constexpr std::size_t max_quoted_bytes = 200;

}  // namespace thence::expression
