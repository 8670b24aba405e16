// Scalars by which nodes multiply: rewriters fold them into weights and back.
#pragma once

#include "dataflow/value_graph.h"

namespace thence::dataflow {

/// The factor of a node's product: its attribute alpha, or the factor by which its weight was multiplied
/// since the reference model; 1 if it has neither.
double product_factor(const ValueGraph& graph, onnx::NodeId node);

/// The scalar by which a view multiplies; not a number for other nodes, and if the scalar is computed.
double view_factor(const ValueGraph& graph, onnx::NodeId view);

}  // namespace thence::dataflow
