// What numbers said of a transferred map.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "semantics/map.h"

namespace thence::output {

/// For people: a few lines for each step, and the first claims that were refuted.
std::string verification_text(const semantics::Map& map);

/// The member "verification" of schema/map.schema.json, on a line of its own; nothing when nothing was
/// verified.
void write_verification(const semantics::Map& map, base::JsonWriter& json);

}  // namespace thence::output
