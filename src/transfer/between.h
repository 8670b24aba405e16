// All that is computed between some values and another one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "transfer/net.h"

namespace thence::transfer {

/// What is known of a net's values while they are paired.
struct Known {
  std::function<std::uint64_t(Root)> code;  // equal for values that are the same; 0: not known
  std::function<bool(Root)> taken;          // whether a value has a partner of its own
};

/// The steps that make `end` of the values with these codes, all of which they need, and of constants.
/// Nothing when it comes of anything else, when a value on the way is taken, when there are more than
/// anybody fuses, or when no work is left: each value that is looked at takes one.
std::optional<std::vector<StepId>> all_between(const Net& net, std::span<const std::uint64_t> starts,
                                               Root end, const Known& known, std::size_t& work_left);

}  // namespace thence::transfer
