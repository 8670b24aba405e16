// Target: a new path with {1}, {2} and so on for the text that the stars of a pattern match.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace thence::rules {

/// The largest number in braces; 0 without braces. Empty if braces contain anything else.
std::optional<std::size_t> max_star_number(std::string_view target);

/// The resulting path. A star that matches nothing leaves no empty name.
std::string substitute_stars(std::string_view target, std::span<const std::string_view> captures);

}  // namespace thence::rules
