// Limits of queries: what malicious SQL and many selectors may cost, and the length of error messages.
#pragma once

#include <cstddef>

namespace thence::query {

/// A row of SQL, in bytes. Functions can make long text from short text.
// errors.md: an SQL statement; a row of its result
inline constexpr int max_row_bytes = 64 << 20;

/// The text of a statement.
// errors.md: an SQL statement; a row of its result
inline constexpr int max_sql_bytes = 1 << 20;
/// A pattern of LIKE or GLOB, which takes time quadratic in its length.
// errors.md: a pattern of LIKE or GLOB in SQL
inline constexpr int max_like_pattern_bytes = 1000;

/// Selectors, each of which is compared with every module, operator or parameter.
// errors.md: selectors; the text of each
inline constexpr std::size_t max_selectors = 10'000;

/// Text of the user or of the file in an error.
inline constexpr std::size_t max_shown_bytes = 200;

}  // namespace thence::query
