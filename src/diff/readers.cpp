#include "diff/readers.h"

namespace thence::diff {

using onnx::NodeId;
using onnx::none;

Readers::Readers(const onnx::Model& model)
    : readers_(model.node_count(),
               [&](const auto& use) {
                 for (NodeId id = 0; id < model.node_count(); ++id)
                   for (const onnx::ValueId value : model.node(id).inputs())
                     if (value != none)
                       if (const auto producer = model.producer(value);
                           producer.kind == onnx::Producer::Kind::node)
                         use(producer.index, id);
               }),
      leaves_(model.node_count()) {
  for (const onnx::Graph& graph : model.graphs())
    for (const onnx::ValueId value : graph.outputs)
      if (value != none)
        if (const auto producer = model.producer(value); producer.kind == onnx::Producer::Kind::node)
          leaves_[producer.index] = true;
}

}  // namespace thence::diff
