// Checks that the names in an expression exist in a map.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expression/comparison.h"
#include "semantics/map.h"

namespace thence::expression {

/// Returns a usage error that points at the first operator, class, role or module that does not exist, with
/// the nearest names. A glob with wildcards may match nothing: it is a pattern for many models.
std::optional<Error> check_names(std::string_view expression, const std::vector<BoundComparison>& comparisons,
                                 const semantics::Map& map);

}  // namespace thence::expression
