// Thresholds of the check that a capture is of the model at hand, and of finding a prefix that only one of
// the two has before its paths.
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::hierarchy {

/// A file that names fewer parameters than this is not checked against a capture: so few may be named
/// otherwise by chance.
THENCE_THRESHOLD std::size_t least_named_to_refuse =
    base::tuned<std::size_t>("hierarchy_least_named_to_refuse", 3);

/// Where at least this share of the file's parameters has the same path in the capture, no prefix is
/// searched.
THENCE_THRESHOLD double share_without_prefix = base::tuned("hierarchy_share_without_prefix", 0.5);

/// A prefix must explain at least so many of the file's parameters, and this share of them.
THENCE_THRESHOLD std::size_t least_prefixed = base::tuned<std::size_t>("hierarchy_least_prefixed", 3);
THENCE_THRESHOLD double least_share_prefixed = base::tuned("hierarchy_least_share_prefixed", 0.5);

/// Safety cap: prefixes whose weights are compared by content. Models have a few, malicious files many.
inline constexpr std::size_t most_prefixes_compared = 64;

}  // namespace thence::hierarchy
