// File names in JSON documents.
#pragma once

#include <string>
#include <string_view>

namespace thence::output {

/// Converts a file name to a URI reference.
std::string uri_of(std::string_view file);

}  // namespace thence::output
