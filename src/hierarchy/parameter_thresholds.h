// Threshold of the search for the parameter that a node reads through other nodes.
#pragma once

#include "base/threshold.h"

namespace thence::hierarchy {

/// Nodes between a parameter and its consumer that only change its form, such as a transpose, a cast or a
/// dequantisation.
THENCE_THRESHOLD int most_form_changes = base::tuned("hierarchy_most_form_changes", 6);

}  // namespace thence::hierarchy
