// The data files of schema/ and the page of the viewer, which are embedded in the program.
#pragma once

#include <string_view>

namespace thence::base {

/// The text of a data file by name, such as "lexicon.json"; empty if it does not exist.
std::string_view embedded_file(std::string_view name);

}  // namespace thence::base
