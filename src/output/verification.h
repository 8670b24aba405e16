// What numbers said of a transferred map.
#pragma once

#include <string>

#include "semantics/map.h"

namespace thence::output {

/// For people: a few lines for each step, and the first claims that were refuted.
std::string verification_text(const semantics::Map& map);

/// The member "verification" of schema/map.schema.json and a comma; nothing when nothing was verified.
void append_verification_json(const semantics::Map& map, std::string& out);

}  // namespace thence::output
