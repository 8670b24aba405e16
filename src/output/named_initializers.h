// The rows of initializers, with the parameters that they hold.
#pragma once

#include <vector>

#include "semantics/map.h"
#include "weights/weight.h"

namespace thence::output {

struct NamedInitializers {
  /// `known`: the weights, if they are known already; those of a derived model need its ancestor, which a
  /// map does not have.
  explicit NamedInitializers(const semantics::Map& map, const std::vector<weights::Weight>* known = nullptr);

  std::vector<semantics::InitializerRow> rows;
  std::vector<weights::Weight> traced;  // has the texts that the rows refer to, unless they are known
};

}  // namespace thence::output
