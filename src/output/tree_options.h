// Checks of the options of a module tree that a user gives as text.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "output/tree_rows.h"

namespace thence::output {

/// "params", "bytes" and so on; "none" for the order of the tree. Empty if there is no such measure.
std::optional<Measure> measure_named(std::string_view name);

/// An error if the model names none of the dimensions that a given size is for. A misspelt name would
/// otherwise leave the costs symbolic, or change nothing at all.
std::optional<Error> find_unknown_size(const Tree& tree);

}  // namespace thence::output
