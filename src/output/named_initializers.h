// The rows of initializers, with the parameters that they hold.
#pragma once

#include <vector>

#include "semantics/map.h"
#include "weights/weight.h"

namespace thence::output {

struct NamedInitializers {
  explicit NamedInitializers(const semantics::Map& map);

  std::vector<semantics::InitializerRow> rows;
  std::vector<weights::Weight> traced;  // has the texts that the rows refer to
};

}  // namespace thence::output
