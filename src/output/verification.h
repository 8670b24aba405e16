// The result of verifying a transferred map numerically.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "semantics/map.h"

namespace thence::output {

/// Text for users: a few lines per step, and the first refuted claims.
std::string verification_text(const semantics::Map& map);

/// Writes the member "verification" of schema/map.schema.json on its own line. Writes nothing if nothing was
/// verified.
void write_verification(const semantics::Map& map, base::JsonWriter& json);

}  // namespace thence::output
