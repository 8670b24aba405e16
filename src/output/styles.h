// Text styles of terminals.
#pragma once

#include <string_view>

namespace thence::output {

inline constexpr std::string_view bold = "\x1b[1m", dim = "\x1b[2m", plain = "\x1b[0m";

}  // namespace thence::output
