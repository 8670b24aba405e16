// Limits of rules files. Users write a few hundred lines; larger files are mistakes or malicious.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thence::rules {

/// Size of a rules file. The parser needs many times as much memory.
// errors.md: a rules file
inline constexpr std::size_t max_file_bytes = 256 * 1024;

/// Patterns of all rules. Each is matched with every module.
// errors.md: a rules file
inline constexpr std::size_t max_patterns = 1000;

/// Dots in a line. The parser recurses for each part of a dotted key.
// errors.md: a rules file
inline constexpr std::ptrdiff_t max_dots_per_line = 200;

/// A message of the parser, which repeats its input.
inline constexpr std::size_t max_parser_message_bytes = 200;

/// A role or component. It is a column of every row.
// errors.md: a role or component in rules
inline constexpr std::size_t max_word_bytes = 64;

/// Comparisons of characters when rules are matched with modules: a few seconds. Patterns and paths of a
/// malicious file can take minutes.
inline constexpr std::uint64_t max_match_work = 1'000'000'000;

}  // namespace thence::rules
