// The note about the nodes that are labelled with scopes instead of modules.
#pragma once

#include <optional>

#include "base/diagnostic.h"
#include "modules/module_tree.h"
#include "resolve/attribution.h"

namespace thence::semantics {

/// Counts the nodes whose path is a scope of the tool that wrote the file. Empty if there are none.
std::optional<Diagnostic> scope_note(const resolve::Resolution& resolution, const modules::ModuleTree& tree);

}  // namespace thence::semantics
