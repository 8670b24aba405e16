// The word that somebody may have meant.
#pragma once

#include <span>
#include <string_view>

namespace thence::rules {

/// The nearest of the known words, if it is near: a letter or two missing, too many, other or swapped; else
/// empty.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace thence::rules
