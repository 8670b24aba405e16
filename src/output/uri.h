// Files as JSON documents name them.
#pragma once

#include <string>
#include <string_view>

namespace thence::output {

/// A file as a quoted URI reference.
void append_uri(std::string& out, std::string_view file);

}  // namespace thence::output
