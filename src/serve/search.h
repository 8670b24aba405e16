// Sets of nodes that the page marks: what a search finds, nodes to review, and what feeds a node or is fed by
// it.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "dataflow/uses.h"
#include "semantics/map.h"

namespace thence::serve {

/// The nodes whose name, operator, tensors, module path, class or role contain the text, ignoring the case of
/// ASCII letters. In row order.
std::vector<onnx::NodeId> find_text(const semantics::Map& map, std::string_view text);
/// The nodes for which an expression of `query --where` holds. Finding none is not an error.
Result<std::vector<onnx::NodeId>> find_where(const semantics::Map& map, std::string_view expression);
/// The nodes without a module, then those of low confidence.
std::vector<onnx::NodeId> nodes_to_review(const semantics::Map& map);

enum class Direction { upstream, downstream };
/// The node, and all nodes that it depends on or that depend on it.
std::vector<onnx::NodeId> reachable(const semantics::Map& map, const dataflow::Uses& uses, onnx::NodeId node,
                                    Direction direction);

}  // namespace thence::serve
