// Views between matched nodes, by alignment with the ancestor's views between the same nodes.
#include "transfer/origin_state.h"
#include "transfer/view_chains.h"

namespace thence::transfer {
namespace {

using dataflow::Trait;

class ViewAligner {
 public:
  explicit ViewAligner(OriginState& state) : state_(state), a_(state.ancestor), d_(state.descendant) {}

  void run() {
    for (onnx::NodeId id = 0; id < state_.origins.size(); ++id)
      if (state_.origins[id].kind == OriginKind::computes) align_inputs(id);
    const auto& outputs = a_.model().graphs()[0].outputs;
    for (const onnx::ValueId value : d_.model().graphs()[0].outputs)
      if (value != none) align(value, outputs);
  }

 private:
  void align_inputs(onnx::NodeId ours) {
    const auto inputs = d_.model().node(ours).inputs();
    if (inputs.size() > dataflow::max_inputs) return;
    values_.clear();
    for (const onnx::NodeId node : state_.origins[ours].nodes)
      for (const onnx::ValueId value : a_.model().node(node).inputs())
        if (value != none && values_.size() < dataflow::max_inputs) values_.push_back(value);
    for (const onnx::ValueId value : inputs)
      if (value != none) align(value, values_);
  }

  // Aligns the views of a value with those of the ancestor's values that are read in its place.
  void align(onnx::ValueId value, const std::vector<onnx::ValueId>& theirs) {
    const CanonicalValue partner = state_.merged.chosen(d_.canonical(value));
    if (partner == none) return;
    const std::vector<onnx::NodeId> ours = view_chain(d_, value);
    if (ours.empty()) return;
    const Proof proof = state_.matching.proofs[d_.canonical(value)];
    for (const onnx::ValueId other : theirs)
      if (other != none && state_.are_congruent(a_.canonical(other), partner)) {
        ViewChain chain = view_chain(a_, other, state_.matching.removed_noops, partner);
        drop_noop_views(a_, chain.views, count_reshaping(d_, ours));
        align(ours, chain, proof);
      }
  }

  void align(const std::vector<onnx::NodeId>& ours, const ViewChain& theirs, Proof proof) {
    const ChainAlignment alignment = align_view_chains(d_, ours, a_, theirs.views);
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (alignment.positions[i] != ChainAlignment::unaligned)
        set_view(ours[i], theirs.views[alignment.positions[i]], proof);
      else if (is_open(ours[i]))
        set_unaligned(ours, i, theirs, alignment, proof);
    }
  }

  bool is_open(onnx::NodeId ours) const {
    return state_.origins[ours].kind == OriginKind::unknown && !d_.has_constant_inputs(ours);
  }

  void set_view(onnx::NodeId ours, onnx::NodeId theirs, Proof proof) {
    Origin& origin = state_.origins[ours];
    // If several views were merged it is each of them.
    if (origin.proof != Proof::name &&
        (origin.kind == OriginKind::view || origin.kind == OriginKind::ambiguous)) {
      add_unique(origin.nodes, theirs);
      if (origin.nodes.size() > 1) origin.kind = OriginKind::ambiguous;
    }
    if (is_open(ours)) origin = {OriginKind::view, proof, {theirs}};
  }

  void set_unaligned(const std::vector<onnx::NodeId>& ours, std::size_t i, const ViewChain& theirs,
                     const ChainAlignment& alignment, Proof proof) {
    const auto [first, past] = alignment.gaps[i];
    const onnx::NodeId reduction = first == past ? replaced_reduction(state_, ours[i], theirs.start) : none;
    if (reduction != none) {
      state_.origins[ours[i]] = {OriginKind::view, proof, {reduction}};
    } else if (first == past) {
      // The ancestor has no view here: it was inserted, and forwards what comes before it.
      const onnx::NodeId before = past < theirs.views.size()
                                      ? theirs.views[past]
                                      : state_.origin_of_viewed(ours[i], a_.producer_node(theirs.start));
      if (before != none) state_.origins[ours[i]] = {OriginKind::inserted, proof, {before}};
    } else if (are_interchangeable_reshapes(d_, ours[i], a_, theirs.views[first]) &&
               is_nearest_reshape(alignment, ours, i)) {
      state_.origins[ours[i]] = {OriginKind::view, proof, {theirs.views[first]}};
    }
  }

  // Whether no reshaping view of the same gap is nearer to the value.
  bool is_nearest_reshape(const ChainAlignment& alignment, const std::vector<onnx::NodeId>& ours,
                          std::size_t i) const {
    while (i-- > 0 && alignment.positions[i] == ChainAlignment::unaligned)
      if (d_.has_trait(ours[i], Trait::reshapes)) return false;
    return true;
  }

  OriginState& state_;
  const ValueGraph &a_, &d_;
  std::vector<onnx::ValueId> values_;  // reused
};

}  // namespace

void find_aligned_views(OriginState& state) { ViewAligner(state).run(); }

}  // namespace thence::transfer
