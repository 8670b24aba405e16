#include "transfer/regions.h"

#include <algorithm>

#include "transfer/between.h"

namespace thence::transfer {

Regions::Regions(const Paired& paired)
    : paired_(paired),
      a_(paired.ancestor),
      d_(paired.descendant),
      weight_readers_(a_),
      // In proportion to the models: those made to take long get fewer answers, not late ones.
      work_left_((std::size_t{1} << 20) + 128 * (a_.steps().size() + d_.steps().size())) {}

// The values that a step's node reads for it, by their classes; false when one is not known.
bool Regions::starts_of(const Step& step, std::vector<std::uint64_t>& starts) const {
  for (const Root root : d_.inputs(step)) {
    if (d_.constant(root) != nullptr) continue;
    const StepId maker = d_.maker(root);
    if (paired_.partners[root] != none)
      starts.push_back(class_of(paired_.partners[root]));
    else if (maker == none || d_.steps()[maker].node != step.node || !starts_of(d_.steps()[maker], starts))
      return false;
  }
  return true;
}

std::optional<std::vector<StepId>> Regions::fused(const Step& step, Root end) {
  std::vector<std::uint64_t> starts;
  if (!starts_of(step, starts)) return std::nullopt;
  return all_between(a_, starts, end,
                     {[this](Root root) { return class_of(root); },
                      [this](Root root) { return static_cast<bool>(paired_.taken[root]); }},
                     work_left_);
}

std::optional<std::vector<StepId>> Regions::parts_of(const Step& step, Root whole) {
  std::vector<std::uint64_t> starts;
  for (const Root root : a_.inputs(a_.steps()[a_.maker(whole)]))
    if (a_.constant(root) == nullptr) starts.push_back(class_of(root));
  const auto partner = [this](Root root) { return paired_.partners[root]; };
  auto parts = all_between(d_, starts, step.output,
                           {[&](Root root) { return partner(root) == none ? 0 : class_of(partner(root)); },
                            [&](Root root) { return partner(root) != none; }},
                           work_left_);
  // A node that gives out several values merges what was apart: it is no part of one operation alone.
  const auto merges = [&](StepId id) { return d_.model().node(d_.steps()[id].node).outputs().size() > 1; };
  if (!parts || paired_.taken[whole] || std::any_of(parts->begin(), parts->end(), merges))
    return std::nullopt;
  return parts;
}

// What the one step makes that reads a weight of a step of ours, and fits. None when there are several.
template <class Fits>
Root Regions::one_by_weight(const Step& step, Fits fits) {
  Root found = none;
  for (const Root root : d_.inputs(step)) {
    const Constant* const weight = d_.constant(root);
    if (weight == nullptr || weight->elements < Numbering::least_weight ||
        !weight_readers_.find(weight->content, readers_))
      continue;
    for (const StepId each : readers_) {
      const Step& theirs = a_.steps()[each];
      if (theirs.op == step.op || theirs.place != 0 || theirs.output == found || !fits(theirs)) continue;
      if (found != none) return none;
      found = theirs.output;
    }
  }
  return found;
}

Root Regions::whole_of(const Step& step) {
  return one_by_weight(step, [&](const Step& theirs) {
    const auto parts = parts_of(step, theirs.output);
    return parts && read_all_weights(d_, *parts, a_, theirs);
  });
}

Root Regions::end_of(const Step& step) {
  return one_by_weight(step, [&](const Step& theirs) {
    if (paired_.taken[theirs.output]) return false;
    const auto region = fused(step, theirs.output);
    return region && read_all_weights(a_, *region, d_, step);
  });
}

}  // namespace thence::transfer
