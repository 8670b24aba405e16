// Text from a file for a message: printable, and shortened.
#pragma once

#include <string>
#include <string_view>

namespace thence::base {

/// Long text is cut in the middle, because its end often differs.
std::string brief(std::string_view text);

}  // namespace thence::base
