// No-ops: a Slice of everything, a Pad of nothing, a Concat with an empty tensor. Optimisers that know the
// shapes remove them.
#pragma once

#include "dataflow/value_graph.h"

namespace thence::dataflow {

/// Whether a view writes its input unchanged, according to the inferred shapes.
bool is_noop_view(const ValueGraph& graph, onnx::NodeId view);

/// Sets the forwarded input of the no-ops of a graph that a rewrite may have removed: those of operators that
/// the rewritten model has fewer of.
void find_noops(ValueGraph& graph, const ValueGraph& rewritten);

}  // namespace thence::dataflow
