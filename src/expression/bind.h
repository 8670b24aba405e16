// Binds comparisons to columns, and checks their types.
#pragma once

#include <vector>

#include "base/result.h"
#include "expression/comparison.h"
#include "expression/syntax.h"

namespace thence::expression {

/// In the order of Expression::comparisons. Returns a usage error that points at the position of an unknown
/// column or of a value of the wrong type. Needs no map.
Result<std::vector<BoundComparison>> bind_comparisons(const Expression& expression);

}  // namespace thence::expression
