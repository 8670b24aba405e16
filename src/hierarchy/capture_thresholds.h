// Thresholds of the check that a capture is of the given model, and of the search for a path prefix that only
// one of the two has.
#pragma once

#include <cstddef>

#include "base/threshold.h"

namespace thence::hierarchy {

/// A file that names fewer parameters than this is not checked against a capture, because so few may differ
/// by chance.
THENCE_THRESHOLD std::size_t least_named_to_refuse =
    base::tuned<std::size_t>("hierarchy_least_named_to_refuse", 3);

/// If at least this share of the file's parameters has the same path in the capture, no prefix is searched.
THENCE_THRESHOLD double share_without_prefix = base::tuned("hierarchy_share_without_prefix", 0.5);

/// A prefix must explain at least this number of the file's parameters, and this share of them.
THENCE_THRESHOLD std::size_t least_prefixed = base::tuned<std::size_t>("hierarchy_least_prefixed", 3);
THENCE_THRESHOLD double least_share_prefixed = base::tuned("hierarchy_least_share_prefixed", 0.5);

/// Safety cap: prefixes for which weights are compared by content. Models have a few, malicious files many.
inline constexpr std::size_t max_prefixes_compared = 64;

}  // namespace thence::hierarchy
