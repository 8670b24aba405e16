// The sections of a capture beside the hierarchy.
#pragma once

#include "base/json.h"
#include "capture/recording.h"

namespace thence::capture {

/// What does not fit the schema is left out: these sections are evidence, and less of it is no error.
Recording read_execution_trace(base::JsonValue section, const ModuleTree& tree);
Recording read_fx_graph(base::JsonValue section, const ModuleTree& tree);
ModuleMap read_module_map(base::JsonValue section, const ModuleTree& tree);

}  // namespace thence::capture
