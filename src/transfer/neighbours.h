// Neighbours: the one operation of the ancestor that what is known around a step of the descendant leaves.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "transfer/numbering.h"

namespace thence::transfer {

/// What is paired so far.
struct Paired {
  const Net &ancestor, &descendant;
  const std::vector<Root>& partners;  // by root of the descendant
  const std::vector<bool>& taken;     // by root of the ancestor
  const Numbering& known;             // of the ancestor
};

/// Steps of the ancestor that a step of the descendant may be, by the root that it makes.
using Candidates = std::unordered_map<Root, std::vector<StepId>>;

/// The step of the ancestor with the same operator that reads, or is read by, the partners of what `step`
/// reads or is read by, and that nothing known speaks against; none when there is none, or several, or when
/// it fits another open step of the descendant as well.
StepId one_that_fits(const Paired& paired, StepId step);

/// For each step that is not paired: all that fit, where there are any. Steps come after what they read.
Candidates all_that_fit(const Paired& paired);

}  // namespace thence::transfer
