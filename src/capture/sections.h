// Reads the sections of a capture other than the hierarchy.
#pragma once

#include "base/json.h"
#include "capture/recording.h"

namespace thence::capture {

/// Entries that do not match the schema are skipped: these sections are evidence, and incomplete evidence is
/// not an error. A module with several paths becomes several modules of the tree, one for each path that it
/// was called by.
Recording read_execution_trace(base::JsonValue section, ModuleTree& tree);
Recording read_fx_graph(base::JsonValue section, ModuleTree& tree);
ModuleMap read_module_map(base::JsonValue section, ModuleTree& tree);

}  // namespace thence::capture
