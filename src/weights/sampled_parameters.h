// The parameters that a file holds, as a capture has them: it is a reference model for files that other tools
// built after the same live model.
#pragma once

#include <vector>

#include "capture/capture.h"
#include "semantics/map.h"

namespace thence::weights {

/// Those that an initializer holds whole, with samples of their elements in the order of the live model.
std::vector<capture::CapturedParameter> sampled_parameters(const semantics::Map& map);

}  // namespace thence::weights
