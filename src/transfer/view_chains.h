// Chains of views between a value and its canonical value, and their alignment between two models.
#pragma once

#include <utility>
#include <vector>

#include "transfer/value_matching.h"

namespace thence::transfer {

/// The views between a value and its canonical value, the nearest to the value first.
std::vector<onnx::NodeId> view_chain(const ValueGraph& graph, onnx::ValueId value);

/// The same, continued across no-ops and removed no-ops up to `until`.
struct ViewChain {
  std::vector<onnx::NodeId> views;
  CanonicalValue start;  // where the chain starts
};
ViewChain view_chain(const ValueGraph& graph, onnx::ValueId value, const RemovedNoops& removed,
                     CanonicalValue until);

/// Drops no-op views until `left` reshaping views remain.
void drop_noop_views(const ValueGraph& graph, std::vector<onnx::NodeId>& views, std::size_t remaining);
std::size_t count_reshaping(const ValueGraph& graph, const std::vector<onnx::NodeId>& views);

/// Whether a view of the descendant may be one of the ancestor, by operator and parameters.
bool may_be_same_view(const ValueGraph& descendant, onnx::NodeId ours, const ValueGraph& ancestor,
                      onnx::NodeId theirs);

/// Whether both change only the shape, with different operators that rewriters replace by each other.
bool are_interchangeable_reshapes(const ValueGraph& descendant, onnx::NodeId ours, const ValueGraph& ancestor,
                                  onnx::NodeId theirs);

/// For each view of a chain of the descendant, its counterpart in a chain of the ancestor. Both chains end in
/// matched values.
struct ChainAlignment {
  static constexpr std::size_t unaligned = static_cast<std::size_t>(-1);
  std::vector<std::size_t> positions;  // by view of ours: its counterpart in theirs, or unaligned
  /// By view of ours: the range of theirs between its aligned neighbours.
  std::vector<std::pair<std::size_t, std::size_t>> gaps;
};
ChainAlignment align_view_chains(const ValueGraph& descendant, const std::vector<onnx::NodeId>& ours,
                                 const ValueGraph& ancestor, const std::vector<onnx::NodeId>& theirs);

}  // namespace thence::transfer
