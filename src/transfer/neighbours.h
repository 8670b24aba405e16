// Neighbours: the one operation of the ancestor that what is known around a step of the descendant leaves.
#pragma once

#include <cstdint>
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

/// The step of the ancestor with the same operator that reads, or is read by, the partners of what `step`
/// reads or is read by, and that nothing known speaks against; none when there is none, or several, or when
/// it fits another open step of the descendant as well.
StepId one_that_fits(const Paired& paired, StepId step);

}  // namespace thence::transfer
