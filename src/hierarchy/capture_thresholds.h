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

/// A file whose names fit none of the capture is that of its model if at least this share of its weights
/// holds parameters of the capture; without content, if at least this share of its matrices has their shapes.
THENCE_THRESHOLD double least_held_share = base::tuned("hierarchy_least_held_share", 0.25);
THENCE_THRESHOLD double least_fitting_share = base::tuned("hierarchy_least_fitting_share", 0.9);

/// A file that names parameters is that of a saved model if this one has at least the first share of the
/// named parameters, and of these, at least the second share has the same sizes. Quantisers rename most
/// parameters; models of one architecture have the same names and other sizes.
THENCE_THRESHOLD double least_share_known = base::tuned("hierarchy_least_share_known", 0.1);
THENCE_THRESHOLD double least_share_of_same_size = base::tuned("hierarchy_least_share_of_same_size", 0.5);

/// If at least this share of the file's parameters has the same path in the capture, no prefix is searched.
THENCE_THRESHOLD double share_without_prefix = base::tuned("hierarchy_share_without_prefix", 0.5);

/// A prefix must explain at least this number of the file's parameters, and this share of them.
THENCE_THRESHOLD std::size_t least_prefixed = base::tuned<std::size_t>("hierarchy_least_prefixed", 3);
THENCE_THRESHOLD double least_share_prefixed = base::tuned("hierarchy_least_share_prefixed", 0.5);

/// Safety cap: prefixes for which weights are compared by content. Models have a few, malicious files many.
inline constexpr std::size_t max_prefixes_compared = 64;

}  // namespace thence::hierarchy
