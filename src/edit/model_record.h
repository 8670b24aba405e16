// Writes what a tagged model keeps of the live model (hierarchy/model_record.h reads it).
#pragma once

#include <string>
#include <vector>

#include "capture/capture.h"
#include "semantics/map.h"
#include "weights/weight.h"

namespace thence::edit {

/// The parameters of the live model, and those that each initializer holds.
struct TracedWeights {
  const std::vector<capture::CapturedParameter>* live = nullptr;  // null if unknown
  std::vector<weights::Weight> initializers;
};

/// JSON; empty if the order of the modules is not known.
std::string model_record(const semantics::Map& map, const TracedWeights& traced);

}  // namespace thence::edit
