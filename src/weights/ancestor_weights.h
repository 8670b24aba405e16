// AncestorWeights: the initializers of the ancestor, by name, by content, and by the node that reads them.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dataflow/value_graph.h"
#include "semantics/map.h"
#include "weights/weight.h"

namespace thence::weights {

class AncestorWeights {
 public:
  AncestorWeights(const semantics::Map& ancestor, const dataflow::ValueGraph& graph,
                  std::vector<Weight> weights);

  const onnx::Model& model() const { return model_; }
  const Weight& weight(std::uint32_t initializer) const { return weights_[initializer]; }
  /// Null if the content cannot be read.
  const dataflow::Constant* constant(std::uint32_t initializer) const;
  const onnx::TensorView& tensor(std::uint32_t initializer) const { return tensors_[initializer]; }

  /// None if there is no such initializer.
  std::uint32_t with_name(std::string_view name) const;
  /// Those with the same elements, whatever their order and floating-point type.
  std::span<const std::uint32_t> with_content(std::uint64_t fingerprint) const;
  /// Those that a node reads, by input, possibly through nodes that only change their form; none for others.
  std::vector<std::uint32_t> read_by(onnx::NodeId node) const;

 private:
  const onnx::Model& model_;
  const dataflow::ValueGraph& graph_;
  std::vector<Weight> weights_;
  std::vector<onnx::TensorView> tensors_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_content_;
};

/// How a tensor differs from one of the ancestor that has its elements, by type, size and order.
Transform compare_elements(const onnx::TensorView& ours, const dataflow::Constant* our_elements,
                           const onnx::TensorView& theirs, const dataflow::Constant* their_elements);

/// The transform of a transform.
Transform compose(Transform first, Transform second);

}  // namespace thence::weights
