#include "dataflow/uses.h"

namespace thence::dataflow {

Uses::Uses(const onnx::Model& model)
    : uses_(model.value_count(), [&](auto use) {
        for (onnx::NodeId id = 0; id < model.node_count(); ++id)
          for (const onnx::ValueId value : model.node(id).inputs())
            if (value != onnx::none) use(value, id);
        for (const onnx::Graph& graph : model.graphs())
          if (graph.owner != onnx::none)
            for (const onnx::ValueId value : graph.outputs)
              if (value != onnx::none) use(value, graph.owner);
      }) {}

}  // namespace thence::dataflow
