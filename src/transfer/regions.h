// Regions: operations of the ancestor that were fused into one, and one that was taken apart.
#pragma once

#include <optional>
#include <vector>

#include "transfer/neighbours.h"
#include "transfer/weight_readers.h"

namespace thence::transfer {

class Regions {
 public:
  /// What it refers to outlives it, and goes on being paired.
  explicit Regions(const Paired& paired);

  /// The ancestor's steps between what a step's node reads and `end`, all of them without partners.
  std::optional<std::vector<StepId>> fused(const Step& step, Root end);
  /// The steps between what the ancestor's operation that makes `whole` reads and this one, if they may be
  /// its parts.
  std::optional<std::vector<StepId>> parts_of(const Step& step, Root whole);
  /// What the one operation makes of which this step is the last part: its parts read all weights that the
  /// operation does. None when there is none, or several.
  Root whole_of(const Step& step);
  /// The other way round: the end of the operations that were fused into a step, which reads all of their
  /// weights.
  Root end_of(const Step& step);

 private:
  template <class Fits>
  Root one_by_weight(const Step& step, Fits fits);
  bool starts_of(const Step& step, std::vector<std::uint64_t>& starts) const;
  std::uint64_t class_of(Root theirs) const { return paired_.known.classes[theirs]; }

  const Paired paired_;
  const Net &a_, &d_;
  WeightReaders weight_readers_;
  std::vector<StepId> readers_;  // kept from step to step
  std::size_t work_left_;        // for what lies between values
};

}  // namespace thence::transfer
