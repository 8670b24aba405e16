// TracedChain: the weights of a model, traced through models that were each derived from the one before.
#pragma once

#include <utility>
#include <vector>

#include "weights/trace.h"

namespace thence::weights {

struct TracedChain {
  std::vector<Weight> named;                                                 // of the last model
  const std::vector<capture::CapturedParameter>* live_parameters = nullptr;  // of the first model

  void begin(const semantics::Map& first) {
    named = trace_weights(first);
    live_parameters = first.hierarchy().live_parameters();
  }
  void advance(const semantics::Map& last, const semantics::Map& next) {
    named = trace_weights(next, last, std::move(named));
  }
};

}  // namespace thence::weights
