// Files as JSON documents name them.
#pragma once

#include <string>
#include <string_view>

namespace thence::output {

/// A file as a URI reference.
std::string uri_of(std::string_view file);

}  // namespace thence::output
