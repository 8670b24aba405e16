// A new path with {1}, {2} and so on for what a pattern's stars stood for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace thence::rules {

/// The largest number in braces, 0 when there are none; nothing when braces hold anything else.
std::optional<std::size_t> most_star(std::string_view target);

/// The path it makes. Where a star stood for nothing, no empty name is left behind.
std::string filled(std::string_view target, std::span<const std::string_view> taken);

}  // namespace thence::rules
