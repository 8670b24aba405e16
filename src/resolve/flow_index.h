// FlowIndex: the uses of each value, and whether a node computes data, shapes or constants.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dataflow/uses.h"
#include "onnx/model.h"

namespace thence::resolve {

/// What a node computes: parameters and constants only, shape arithmetic, or data.
enum class FlowKind : std::uint8_t { constant, shape, data };

class FlowIndex {
 public:
  explicit FlowIndex(const onnx::Model& model);

  /// As dataflow::Uses.
  std::span<const onnx::NodeId> uses(onnx::ValueId value) const { return uses_.of(value); }
  FlowKind kind(onnx::NodeId node) const { return kinds_[node]; }

 private:
  void find_kinds(const onnx::Model& model);
  FlowKind kind_of_inputs(const onnx::Model& model, const onnx::Node& node, bool& is_sorted) const;

  dataflow::Uses uses_;
  std::vector<FlowKind> kinds_;
};

}  // namespace thence::resolve
