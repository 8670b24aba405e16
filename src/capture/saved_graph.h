// The graph of a saved program as a recording, such as the section fx_graph of a capture gives.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json.h"
#include "capture/recording.h"

namespace thence::capture {

/// The path of the parameter or buffer by the name of the input that it is.
using SavedSignature = std::unordered_map<std::string_view, std::string>;

/// Bodies of control flow follow the graph that holds them. Adds the modules in the nodes' stacks to the
/// tree, with their classes and how often they were called. What does not fit the format is left out.
Recording read_saved_graph(base::JsonValue graph, const SavedSignature& signature, ModuleTree& tree);

}  // namespace thence::capture
