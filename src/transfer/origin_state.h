// OriginState: what the passes that find origins share.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "transfer/merged_values.h"
#include "transfer/origins.h"

namespace thence::transfer {

template <class Id>
void add_unique(std::vector<Id>& all, Id one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

struct OriginState {
  OriginState(const ValueGraph& the_ancestor, const ValueGraph& the_descendant,
              const ValueMatching& the_matching)
      : ancestor(the_ancestor),
        descendant(the_descendant),
        matching(the_matching),
        merged(the_ancestor, the_descendant, the_matching),
        origins(the_descendant.model().node_count()) {}

  const ValueGraph &ancestor, &descendant;
  const ValueMatching& matching;
  const MergedValues merged;
  std::vector<Origin> origins;  // by node of the descendant
  /// The ancestor's views that are no origin yet, by view_key(). Filled by index_unmatched_views().
  std::unordered_map<std::uint64_t, std::vector<onnx::NodeId>> unmatched_views;

  bool are_congruent(CanonicalValue one, CanonicalValue other) const {
    return matching.classes[one] == matching.classes[other];
  }
  /// `op`: as dataflow::canonical_view_op() has it.
  std::uint64_t view_key(CanonicalValue theirs, std::string_view op) const;
  /// Null if there are none.
  const std::vector<onnx::NodeId>* find_unmatched_views(CanonicalValue theirs, std::string_view op) const;
  /// The origin of a value without a partner: one of its candidates.
  Origin candidate_origin(CanonicalValue ours) const;
  /// The ancestor's node that wrote the value of the descendant, or none.
  onnx::NodeId primary_origin(CanonicalValue ours) const;
  /// The ancestor's node whose result reaches a view of a value that `theirs` wrote. If quantisation replaces
  /// an activation, views before the quantiser forward the value before the activation.
  onnx::NodeId origin_of_viewed(onnx::NodeId view, onnx::NodeId theirs) const;
  /// Makes a node of the ancestor the primary origin of a node that computes.
  void set_primary(onnx::NodeId ours, onnx::NodeId theirs);
};

/// The ancestor's reduction of a value along axes of size 1 only, which a rewrite replaced by this view; or
/// none.
onnx::NodeId replaced_reduction(const OriginState& state, onnx::NodeId view, CanonicalValue theirs);

// --- The passes, in order ---

/// Nodes whose results are matched, or have candidates.
void find_operation_origins(OriginState& state);
/// Nodes that one operation of the ancestor was split into, with the views between them.
void find_split_origins(OriginState& state);
/// Views whose names survived.
void find_named_views(OriginState& state);
/// Views between matched nodes, by alignment with those of the ancestor.
void find_aligned_views(OriginState& state);
/// Lists the ancestor's views that are no origin of a view.
void index_unmatched_views(OriginState& state);
/// Nodes that a scale of the ancestor was folded into.
void find_folded_scales(OriginState& state);
/// Views that are left: the ancestor's, or inserted ones.
void find_inserted_views(OriginState& state);
/// Shapes and constants that only the parts of a split operation read.
void find_split_shapes(OriginState& state);

}  // namespace thence::transfer
