#include "transfer/match_state.h"

#include <algorithm>

#include "transfer/folded.h"
#include "transfer/neighbours.h"
#include "transfer/seeds.h"

namespace thence::transfer {

using dataflow::Trait;

MatchState::MatchState(const ValueGraph& ancestor, const ValueGraph& descendant)
    : a_(ancestor),
      d_(descendant),
      result_{.names = ValueNames(ancestor.model(), descendant.model())},
      numbering_(ancestor),
      hints_(descendant.canonical_count(), none),
      regions_(*this) {
  result_.partners.assign(d_.canonical_count(), none);
  result_.proofs.assign(d_.canonical_count(), Proof::not_proven);
  result_.region_of.assign(d_.canonical_count(), 0);
  result_.regions.emplace_back();
  result_.is_taken.assign(a_.canonical_count(), false);
  if (are_names_misleading(a_, d_, result_.names)) result_.names.forget();
  Seeds seeds = seeds_of(a_, d_, result_.names);
  for (const auto& [ours, theirs] : seeds.inputs) add_match(ours, theirs, Proof::input);
  for (const auto& [ours, theirs] : seeds.hints) add_hint(ours, theirs);
  same_name_ = std::move(seeds.same_name);
  for (OperationId id = 0; id < d_.operations().size(); ++id) queue_.push_back(id);
}

CanonicalValue MatchState::same_name(CanonicalValue ours) const {
  const auto found = same_name_.find(ours);
  return found == same_name_.end() ? none : found->second;
}

bool MatchState::are_congruent_without_noop(CanonicalValue one, CanonicalValue other) const {
  if (are_congruent(one, other)) return true;
  const OperationId producer = a_.producer(other);
  if (producer == none || is_taken(other) || a_.inputs(a_.operation(producer)).empty()) return false;
  return a_.has_trait(a_.operation(producer).node, Trait::may_be_noop) &&
         are_congruent(a_.inputs(a_.operation(producer)).front(), one);
}

bool MatchState::have_same_operator(CanonicalValue ours, CanonicalValue theirs) const {
  const OperationId mine = d_.producer(ours), other = a_.producer(theirs);
  return mine != none && other != none && d_.operation(mine).op == a_.operation(other).op &&
         d_.operation(mine).output_index == a_.operation(other).output_index;
}

bool MatchState::reads_rescaled_weight(onnx::NodeId node) const {
  const auto inputs = d_.model().node(node).inputs();
  return std::any_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
    const Constant* const weight = value == none ? nullptr : d_.constant(d_.canonical(value));
    return weight != nullptr && weight->is_rescaled;
  });
}

bool MatchState::reads_changed_weight(onnx::NodeId node) const {
  const auto inputs = d_.model().node(node).inputs();
  return std::any_of(inputs.begin(), inputs.end(), [&](onnx::ValueId value) {
    const Constant* const weight = value == none ? nullptr : d_.constant(d_.canonical(value));
    if (weight == nullptr || weight->is_rescaled) return weight != nullptr;
    const bool is_unknown = !numbering_.fingerprints.contains(weight->fingerprint);
    return (weight->is_float && weight->is_changed) ||
           ((weight->is_float || weight->may_be_weight()) && is_unknown);
  });
}

CanonicalValue MatchState::value_after_folded_operations(const Operation& ours, CanonicalValue theirs,
                                                         bool changed) const {
  return value_after_activation(a_, d_, ours, changed ? value_after_folded(a_, d_, ours, theirs) : theirs);
}

void MatchState::accept(const Operation& ours, CanonicalValue theirs, Proof proof) {
  const bool changed =
      proof == Proof::unique_remaining || (d_.has_rescaled_weights() && reads_rescaled_weight(ours.node));
  const CanonicalValue end = value_after_folded_operations(ours, theirs, changed);
  if (end != theirs) set_region(ours.output, {a_.producer(end), a_.producer(theirs)});
  add_match(ours.output, end, end == theirs ? proof : Proof::region);
}

void MatchState::add_match(CanonicalValue ours, CanonicalValue theirs, Proof proof) {
  if (is_matched(ours)) return;
  result_.partners[ours] = theirs;
  result_.proofs[ours] = proof;
  result_.is_taken[theirs] = true;
  for (const OperationId use : d_.uses(ours)) queue_.push_back(use);
  if (d_.producer(ours) != none) queue_.push_back(d_.producer(ours));
}

void MatchState::add_hint(CanonicalValue ours, CanonicalValue theirs) {
  if (!is_matched(ours) && d_.constant(ours) == nullptr && a_.constant(theirs) == nullptr)
    hints_[ours] = theirs;
}

void MatchState::add_merged(CanonicalValue ours, CanonicalValue theirs) {
  std::vector<CanonicalValue>& merged = result_.merged[ours];
  if (merged.size() >= dataflow::max_merged ||
      std::find(merged.begin(), merged.end(), theirs) != merged.end())
    return;
  merged.push_back(theirs);
  result_.is_taken[theirs] = true;
}

void MatchState::add_removed_noop(CanonicalValue theirs) {
  result_.removed_noops.emplace(theirs, a_.inputs(a_.operation(a_.producer(theirs))).front());
}

void MatchState::add_fused(const Operation& ours, CanonicalValue end, std::vector<OperationId> region) {
  const CanonicalValue past = value_after_folded_operations(ours, end, reads_changed_weight(ours.node));
  if (past != end) region.insert(region.begin(), a_.producer(past));
  if (region.size() > 1) set_region(ours.output, std::move(region));
  add_match(ours.output, past, Proof::region);
}

void MatchState::add_split(const Operation& ours, CanonicalValue whole, std::vector<OperationId> parts) {
  result_.splits.emplace_back(ours.output, std::move(parts));
  add_match(ours.output, whole, Proof::region);
}

void MatchState::set_region(CanonicalValue ours, std::vector<OperationId> region) {
  result_.region_of[ours] = static_cast<std::uint32_t>(result_.regions.size());
  result_.regions.push_back(std::move(region));
}

OperationId MatchState::next_queued() {
  const OperationId id = queue_.front();
  queue_.pop_front();
  return id;
}

ValueMatching MatchState::finish() {
  result_.candidates = all_candidates(*this);
  std::erase_if(result_.removed_noops, [this](const auto& each) { return is_taken(each.first); });
  for (const auto& [removed, input] : result_.removed_noops)
    numbering_.classes[removed] = numbering_.classes[input];
  result_.classes = std::move(numbering_.classes);
  result_.next_congruent = std::move(numbering_.next_congruent);
  return std::move(result_);
}

}  // namespace thence::transfer
