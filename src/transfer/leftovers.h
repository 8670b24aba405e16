// Leftovers: nodes of which no value tells whose they are. Constants and sizes belong to those who need them,
// and results that nobody reads to the operation that they are a part of.
#pragma once

#include <vector>

#include "transfer/origins.h"
#include "transfer/value_names.h"

namespace thence::transfer {

/// Fills in origins that are not known yet.
void tell_leftovers(const Net& ancestor, const Net& descendant, const ValueNames& names,
                    std::vector<Origin>& origins);

}  // namespace thence::transfer
