// OperandMatcher: which of the ancestor's constants and shapes a node is, by the operands in which its result
// is read.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/grouped.h"
#include "transfer/origins.h"

namespace thence::transfer {

/// The nodes that read each value.
using ValueUses = base::Grouped<onnx::NodeId>;
ValueUses value_uses(const onnx::Model& model);

/// Called for the nodes in reverse order, while the origins of later ones become known.
class OperandMatcher {
 public:
  struct DescendantFacts {  // of the descendant, apart from the names
    const ValueUses& uses;
    const ValueNames& names;
    const std::vector<Origin>& origins;
  };
  OperandMatcher(const ValueGraph& ancestor, const ValueGraph& descendant, DescendantFacts facts);

  /// What the partners of its uses read as the same operand, if the same operator computes it of constants
  /// and shapes; for an inserted cast or the like, what it forwards; for a constant, what was folded into it.
  /// If a use reads something else, the node of the same name, if its surroundings agree. Else unknown.
  Origin find(onnx::NodeId ours);

 private:
  using Values = std::vector<onnx::ValueId>;

  Origin find_by_operands(onnx::NodeId ours);
  Origin find_by_name(onnx::NodeId ours) const;
  bool forwards_elements(onnx::NodeId ours) const;
  bool is_computed(onnx::ValueId ours) const;
  bool is_folded(onnx::NodeId ours, const std::vector<onnx::NodeId>& theirs) const;
  bool collect_operands(onnx::ValueId ours, Values& found) const;
  bool collect_operands_of(onnx::NodeId use, onnx::ValueId ours, Values& found) const;
  onnx::NodeId auxiliary_producer(onnx::ValueId theirs, std::string_view op) const;
  bool share_input_name(const onnx::Node& ours, const onnx::Node& theirs) const;
  bool share_use(onnx::ValueId ours, onnx::ValueId theirs) const;

  const ValueGraph &a_, &d_;
  const DescendantFacts facts_;
  std::unordered_map<onnx::NodeId, Values> forwarded_;  // by forwarding node: the ancestor's values
};

}  // namespace thence::transfer
