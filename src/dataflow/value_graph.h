// ValueGraph: what a model computes, in a form that rewrites preserve. Views (reshapes, casts, scales,
// quantisers) are folded: every value has a canonical value, of which it is a view. Fused operators are split
// into primitive operations, so a node may be several operations. Constants have fingerprints.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/grouped.h"
#include "dataflow/constant.h"
#include "dataflow/operator_table.h"
#include "dataflow/thresholds.h"
#include "dataflow/weight_matcher.h"
#include "onnx/model.h"
#include "shapes/infer.h"

namespace thence::dataflow {

using onnx::none;
/// A ValueId, or a number past them for a result inside a fused node.
using CanonicalValue = std::uint32_t;
using OperationId = std::uint32_t;

/// One primitive operation, for one of its outputs.
struct Operation {
  std::uint32_t op = none;  // in OperatorIds
  onnx::NodeId node = none;
  std::uint32_t first_input = 0, input_count = 0;  // see ValueGraph::inputs
  CanonicalValue output = none;
  std::uint32_t output_index = 0;
  std::uint64_t attribute_hash = 0;       // hash of the attributes and of constant integer inputs
  std::int64_t slice_start = -1;          // slices: the index of the first element; -1 if it is not known
  CanonicalValue forwarded_input = none;  // no-ops: the input that is forwarded unchanged
  CanonicalValue padded_input = none;     // the result of a Pad, in whose place the input of the Pad is read
  bool is_commutative = false;
};

class ValueGraph {
 public:
  /// With `reference`: constants that were made of a weight of the reference model get its fingerprint, and
  /// projections that were merged into one are split. With `samples`: large weights may not be read whole.
  ValueGraph(const onnx::Model& model, OperatorIds& operators, WeightMatcher* reference = nullptr,
             const SampledFingerprint* samples = nullptr);

  const onnx::Model& model() const { return *model_; }
  /// The nodes in topological order, whatever the order of the file.
  const std::vector<onnx::NodeId>& order() const { return order_; }

  // --- Operations ---
  std::span<const Operation> operations() const { return operations_; }
  const Operation& operation(OperationId id) const { return operations_[id]; }
  std::span<const CanonicalValue> inputs(const Operation& operation) const {
    return std::span(inputs_).subspan(operation.first_input, operation.input_count);
  }
  void set_forwarded_input(OperationId noop, CanonicalValue input) {
    operations_[noop].forwarded_input = input;
  }

  // --- Values ---
  CanonicalValue canonical(onnx::ValueId value) const { return canonical_[value]; }
  std::size_t canonical_count() const { return producers_.size(); }
  /// The operation that writes a value; none for graph inputs, constants, and values of cycles.
  OperationId producer(CanonicalValue value) const { return producers_[value]; }
  /// The node of that operation, or none.
  onnx::NodeId producer_node(CanonicalValue value) const {
    return producers_[value] == none ? none : operations_[producers_[value]].node;
  }
  /// The operations that read a value; of a node with several outputs the first one.
  std::span<const OperationId> uses(CanonicalValue value) const { return uses_.of(value); }
  /// The value that a chain of no-ops forwards.
  CanonicalValue skip_noops(CanonicalValue value) const {
    for (int i = 0; i < max_noop_chain && producers_[value] != none; ++i) {
      if (operations_[producers_[value]].forwarded_input == none) break;
      value = operations_[producers_[value]].forwarded_input;
    }
    return value;
  }
  /// A hash of the reshaping views between a value and its canonical value; 0 if there are none.
  std::uint64_t view_hash(onnx::ValueId value) const { return view_hashes_[value]; }
  /// Whether a value is a scale that converts quantised numbers to real ones.
  bool is_quantisation_scale(onnx::ValueId value) const { return scales_[value]; }
  /// Whether a value is quantised where it is written, which may clamp it as an activation would.
  bool may_be_clamped(CanonicalValue value) const { return value < clamped_.size() && clamped_[value]; }

  // --- Constants ---
  const std::vector<Constant>& constants() const { return constants_; }
  /// Null for a value that is no constant.
  const Constant* constant(CanonicalValue value) const {
    return constant_of_[value] == none ? nullptr : &constants_[constant_of_[value]];
  }
  /// Whether the rows or columns of some weight were rescaled since the reference model.
  bool has_rescaled_weights() const { return has_rescaled_weights_; }

  // --- Nodes ---
  const OperatorInfo& op(onnx::NodeId node) const { return operators_.of(node); }
  bool has_trait(onnx::NodeId node, Trait trait) const { return operators_.of(node).traits.has(trait); }
  /// Whether a node is a view, which has no operations.
  bool is_view(onnx::NodeId node) const { return nodes_[node].view; }
  /// Whether a node computes with constants and shapes only.
  bool is_shape_or_constant(onnx::NodeId node) const { return nodes_[node].shape_or_constant; }
  /// Whether all inputs of a node are constants.
  bool has_constant_inputs(onnx::NodeId node) const { return nodes_[node].constant_inputs; }
  /// Whether a node is a shape or constant computation, or a view of a constant.
  bool is_auxiliary(onnx::NodeId node) const;
  /// Inferred on demand.
  const shapes::InferredShapes& shapes() const;

 private:
  friend class GraphBuilder;
  struct NodeFacts {
    bool view : 1 = false;
    bool constant_inputs : 1 = false;
    bool shape_or_constant : 1 = false;
  };

  const onnx::Model* model_;
  DataFiles files_;  // which `data` of the constants points into
  OperatorTable operators_;
  mutable std::shared_ptr<const shapes::InferredShapes> shapes_;
  std::vector<onnx::NodeId> order_;
  std::vector<NodeFacts> nodes_;
  std::vector<CanonicalValue> canonical_;   // by value
  std::vector<std::uint64_t> view_hashes_;  // by value
  std::vector<bool> scales_;                // by value
  std::vector<bool> clamped_;               // by canonical value that is a ValueId
  std::vector<OperationId> producers_;      // by canonical value
  std::vector<std::uint32_t> constant_of_;  // by canonical value
  std::vector<Constant> constants_;
  std::vector<Operation> operations_;
  std::vector<CanonicalValue> inputs_;
  base::Grouped<OperationId> uses_;
  bool has_rescaled_weights_ = false;
};

/// Whether two canonical values are values of the same name.
bool have_same_name(const ValueGraph& one, CanonicalValue of_one, const ValueGraph& other,
                    CanonicalValue of_other);

}  // namespace thence::dataflow
