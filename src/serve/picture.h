// The picture of an opened box: its items, and the edges between them. All tensors from one item to another
// are one edge. Linear in the nodes of the box and their inputs, and n log n in the tensors between its
// items.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json_writer.h"
#include "dataflow/uses.h"
#include "serve/boxes.h"
#include "serve/summaries.h"

namespace thence::serve {

class Pictures {
 public:
  Pictures(const semantics::Map& map, const Outline& outline, const Boxes& boxes, const Summaries& summaries,
           const shapes::InferredShapes& inferred);

  /// Writes {"id", "items", "edges": [[from, to, tensors, label]], "inputs": [[item, tensors]], "outputs"}.
  /// An edge names its ends by their numbers in the list. Inputs and outputs come from and go to other boxes.
  void write(const Box& box, base::JsonWriter& json) const;

 private:
  struct Link {
    std::uint32_t from, to;
    onnx::ValueId value;
    auto operator<=>(const Link&) const = default;
  };
  struct Links {
    std::vector<Link> inside, inputs, outputs;
  };
  Links collect(const std::vector<Item>& items, const std::vector<onnx::ValueId>& graph_inputs,
                const std::vector<onnx::ValueId>& graph_outputs) const;
  void collect_inputs(onnx::NodeId node, std::uint32_t item, Links& links) const;
  void collect_outputs(onnx::NodeId node, std::uint32_t item, Links& links) const;
  void write_value(onnx::ValueId value, bool is_input, base::JsonWriter& json) const;
  void write_edges(std::vector<Link> links, base::JsonWriter& json) const;

  const semantics::Map& map_;
  const Outline& outline_;
  const Boxes& boxes_;
  const Summaries& summaries_;
  const shapes::InferredShapes& inferred_;
  dataflow::Uses uses_;
  std::vector<bool> is_graph_output_;  // by value
  // Scratch space, so that a small box of a large model costs little: the item at each position, and the item
  // that stands for an input or output of the model. Nothing is set between calls.
  mutable std::vector<std::uint32_t> item_at_, item_of_value_;
};

}  // namespace thence::serve
