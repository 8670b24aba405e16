// Edges: the producing node and output of each node input.
#pragma once

#include <cstdint>
#include <vector>

#include "onnx/model.h"

namespace thence::onnx {

struct Edge {
  NodeId source = 0, target = 0;
  std::uint32_t output = 0, input = 0;  // positions among the outputs and inputs
  ValueId value = none;
};

class Edges {
 public:
  explicit Edges(const Model& model) : model_(model), output_index_(model.value_count()) {
    for (NodeId id = 0; id < model.node_count(); ++id) {
      std::uint32_t index = 0;
      for (const ValueId value : model.node(id).outputs()) {
        if (value != none) output_index_[value] = index;
        ++index;
      }
    }
  }

  /// Calls `use` for each edge into a node, in input order.
  template <class Use>
  void for_each_into(NodeId target, Use use) const {
    std::uint32_t input = 0;
    for (const ValueId value : model_.node(target).inputs()) {
      const std::uint32_t index = input++;
      if (value == none) continue;
      const Producer producer = model_.producer(value);
      if (producer.kind == Producer::Kind::node)
        use(Edge{producer.index, target, output_index_[value], index, value});
    }
  }

 private:
  const Model& model_;
  std::vector<std::uint32_t> output_index_;  // position of each value among the outputs of its producer
};

}  // namespace thence::onnx
