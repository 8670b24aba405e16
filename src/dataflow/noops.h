// No-ops: a Slice of everything, a Pad of nothing, a Concat with an empty tensor. Optimisers that know the
// shapes remove them.
#pragma once

#include "dataflow/value_graph.h"

namespace thence::dataflow {

/// Whether a view writes its input unchanged, according to the inferred shapes.
bool is_noop_view(const ValueGraph& graph, onnx::NodeId view);

/// Sets the forwarded input of the no-ops of a graph that the other model may lack: those of operators that
/// it has fewer of.
void find_noops(ValueGraph& graph, const ValueGraph& other);

}  // namespace thence::dataflow
