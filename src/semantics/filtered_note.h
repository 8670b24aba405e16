// The note about the nodes that a strategy leaves out because of their module's class.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "modules/class_filter.h"
#include "resolve/attribution.h"

namespace thence::semantics {

/// Counts the left-out nodes by class, with the flag that would include them. Empty if no node is left out.
std::optional<Diagnostic> filtered_note(const resolve::Resolution& resolution,
                                        const modules::ModuleTree& tree, const modules::ClassFilter& filter);

}  // namespace thence::semantics
