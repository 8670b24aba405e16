// GraphBuilder: builds a ValueGraph in one pass over the nodes in topological order. The passes below decide
// what a node is; the builder records it.
#pragma once

#include <unordered_set>
#include <vector>

#include "dataflow/value_graph.h"

namespace thence::dataflow {

class GraphBuilder {
 public:
  /// Whether a value that is computed of shapes is a single number.
  enum class Scalar : std::uint8_t { no, integer, real };

  GraphBuilder(ValueGraph& graph, OperatorIds& operators, WeightMatcher* reference,
               const SampledFingerprint* samples);

  void run();

  const ValueGraph& graph() const { return graph_; }
  OperatorIds& operators() { return operators_; }
  /// Null if there is no reference model.
  WeightMatcher* reference() { return reference_; }
  /// The constant that a value is, or is a view of; null for other values, and for none.
  const Constant* constant(onnx::ValueId value) const {
    return value == none ? nullptr : graph_.constant(graph_.canonical(value));
  }
  /// Also for constants.
  Scalar scalar(onnx::ValueId value) const;
  /// Not for constants.
  bool is_computed_real_scalar(onnx::ValueId value) const { return scalars_[value] == Scalar::real; }

  void set_constant_inputs(onnx::NodeId node) { graph_.nodes_[node].constant_inputs = true; }
  void set_shape_or_constant(onnx::NodeId node) { graph_.nodes_[node].shape_or_constant = true; }
  void set_scalar(onnx::ValueId value, Scalar scalar) { scalars_[value] = scalar; }
  void mark_quantisation_scale(onnx::ValueId value) { graph_.scales_[value] = true; }
  void mark_clamped(CanonicalValue value) {
    if (value < graph_.clamped_.size()) graph_.clamped_[value] = true;
  }
  /// Makes `view` a view of what `input` is a view of.
  void add_view(onnx::ValueId view, onnx::ValueId input, std::uint64_t view_hash);
  /// Makes `value` another name of `canonical`.
  void set_canonical(onnx::ValueId value, CanonicalValue canonical) { graph_.canonical_[value] = canonical; }
  CanonicalValue add_value();
  void add_constant(CanonicalValue value, Constant constant);
  /// True the first time that it is called for a constant.
  bool start_unpacking(CanonicalValue constant) { return unpacked_.insert(constant).second; }
  void set_unpacked(CanonicalValue constant, const WeightMatch& match);
  /// The inputs of an operation are added before it; operations with the same inputs share them.
  void add_input(CanonicalValue value) { graph_.inputs_.push_back(value); }
  std::uint32_t input_count() const { return static_cast<std::uint32_t>(graph_.inputs_.size()); }
  void add_operation(const Operation& operation);

 private:
  void read_initializers();
  void read_node(onnx::NodeId id);
  bool read_constant(const onnx::Node& node);
  void set_match(Constant& constant, const WeightMatch& match);

  ValueGraph& graph_;
  OperatorIds& operators_;
  WeightMatcher* reference_;
  const SampledFingerprint* samples_;
  std::vector<Scalar> scalars_;                  // by value
  std::unordered_set<CanonicalValue> unpacked_;  // constants that unpack_weight() has seen
};

// --- The passes, in the order in which they see a node ---

/// Marks nodes that compute with constants or shapes only, and scalars among their results.
void classify_node(GraphBuilder& builder, const onnx::Node& node);

/// Recognises a packed weight that a node reads: quantised in blocks, with several elements per byte.
void unpack_weight(GraphBuilder& builder, const onnx::Node& node);

/// Recognises the weight of a convolution in ONNX Runtime's blocked layout.
void unblock_weight(GraphBuilder& builder, const onnx::Node& node);

/// Folds a node whose first output is a view of one of its inputs. False for other nodes.
bool fold_view(GraphBuilder& builder, const onnx::Node& node);

/// Splits a projection that is several of the reference model merged into one. `node`: the Split of its
/// result. False for other nodes.
bool split_merged_projection(GraphBuilder& builder, const onnx::Node& node);

/// Adds the operations of any other node.
void read_operations(GraphBuilder& builder, const onnx::Node& node);

}  // namespace thence::dataflow
