// Reads the graph of a saved program as a recording, like the section fx_graph of a capture.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json.h"
#include "capture/recording.h"

namespace thence::capture {

/// The path of each parameter or buffer, by the name of its graph input.
using SavedSignature = std::unordered_map<std::string_view, std::string>;

/// Bodies of control flow follow the graph that contains them. Adds the modules in node stacks to the tree,
/// with their classes and numbers of calls. Entries that do not match the format are skipped.
Recording read_saved_graph(base::JsonValue graph, const SavedSignature& signature, ModuleTree& tree);

}  // namespace thence::capture
