#include "diff/readers.h"

namespace thence::diff {

using onnx::NodeId;
using onnx::none;

Readers::Readers(const onnx::Model& model) : first_(model.node_count() + 1, 0), leaves_(model.node_count()) {
  const auto each = [&](auto use) {
    for (NodeId id = 0; id < model.node_count(); ++id)
      for (const onnx::ValueId value : model.node(id).inputs())
        if (value != none)
          if (const auto producer = model.producer(value); producer.kind == onnx::Producer::Kind::node)
            use(producer.index, id);
  };
  each([&](NodeId maker, NodeId) { ++first_[maker + 1]; });
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  readers_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  each([&](NodeId maker, NodeId reader) { readers_[next[maker]++] = reader; });
  for (const onnx::Graph& graph : model.graphs())
    for (const onnx::ValueId value : graph.outputs)
      if (value != none)
        if (const auto producer = model.producer(value); producer.kind == onnx::Producer::Kind::node)
          leaves_[producer.index] = true;
}

}  // namespace thence::diff
