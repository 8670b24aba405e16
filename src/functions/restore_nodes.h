// Restores the nodes of the flat model. A node of the main graph or of a function with one instance is as it
// was. Other nodes get the names and annotations that the record has for their instance.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/text_store.h"
#include "functions/call_graph.h"
#include "functions/fold_record.h"

namespace thence::functions {

struct FlatNodes {
  std::vector<std::string_view> messages;  // in the order of expanding the functions depth-first
  base::TextStore texts;                   // owns those that are not in the file
};

/// Empty if the record does not fit, if the names are not unique, or if the nodes are too large.
std::optional<FlatNodes> restore_nodes(const onnx::Model& model, const CallGraph& calls,
                                       const FoldRecord& record);

}  // namespace thence::functions
