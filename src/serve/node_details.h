// Everything about one node: its row of the map, its explanation, attributes, inputs and outputs.
#pragma once

#include "base/json_writer.h"
#include "dataflow/uses.h"
#include "semantics/map.h"
#include "shapes/infer.h"

namespace thence::serve {

/// Writes the members "row" (as in schema/map.schema.json), "explanation" (as in
/// schema/explanation.schema.json), "attributes", "inputs" and "outputs".
void write_node_details(const semantics::Map& map, const shapes::InferredShapes& inferred,
                        const dataflow::Uses& uses, onnx::NodeId node, base::JsonWriter& json);

}  // namespace thence::serve
