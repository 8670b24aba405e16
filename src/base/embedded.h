// The data files of schema/ that the program carries inside.
#pragma once

#include <string_view>

namespace thence::base {

/// The text of a data file by its name, such as "lexicon.json"; empty when there is none.
std::string_view embedded(std::string_view name);

}  // namespace thence::base
