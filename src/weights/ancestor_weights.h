// AncestorWeights: the initializers of the ancestor, by name, by content, and by the node that reads them.
#pragma once

#include <functional>
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
  /// The initializers that a value is computed from, if it depends on nothing else; empty otherwise.
  std::vector<std::uint32_t> computed_from(onnx::ValueId value) const;
  /// The parts of a tensor that joins several, along its rows or its columns; empty if it does not.
  std::vector<std::uint32_t> parts_of(const dataflow::Constant& joined) const;
  /// Those that a node reads, by input, possibly through nodes that only change their form; none for others.
  std::vector<std::uint32_t> read_by(onnx::NodeId node) const;

 private:
  // Parts of these sizes, one after the other, whose fingerprints are those of initializers; empty if
  // something is left.
  std::vector<std::uint32_t> find_parts(
      std::uint64_t length, const std::vector<std::uint64_t>& sizes,
      const std::function<std::uint64_t(std::uint64_t, std::uint64_t)>& fingerprint) const;

  const onnx::Model& model_;
  const dataflow::ValueGraph& graph_;
  std::vector<Weight> weights_;
  std::vector<onnx::TensorView> tensors_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_content_;
  // Numbers of columns by number of rows, and the other way round: of few weights each, by their shapes.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> columns_by_rows_, rows_by_columns_;
};

/// How a tensor differs from one of the ancestor that has its elements, by type, size and order.
Transform compare_elements(const onnx::TensorView& ours, const dataflow::Constant* our_elements,
                           const onnx::TensorView& theirs, const dataflow::Constant* their_elements);

/// The transform of a transform.
Transform compose(Transform first, Transform second);

}  // namespace thence::weights
