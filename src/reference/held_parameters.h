// HeldParameters: which parameters of a reference model the initializers of a file hold, by their content.
// Tools that build a graph rename parameters, transpose, cast, join, cut and quantise them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "capture/capture.h"
#include "onnx/model.h"
#include "reference/thresholds.h"

namespace thence::reference {

/// What an initializer holds.
struct Held {
  std::vector<std::uint32_t> parameters;  // by number, in the order in which they are joined; empty: unknown
  bool is_transposed = false;
  bool is_part = false;     // a part of one parameter
  bool has_offset = false;  // a number was added to all elements
  bool is_known() const { return !parameters.empty(); }
};

struct HeldParameters {
  std::vector<Held> by_initializer;
  std::size_t weights = 0;  // initializers that were compared
  std::size_t found = 0;    // those that hold a parameter
};

/// Whether there is anything to compare initializers with.
bool have_content(std::span<const capture::CapturedParameter> parameters);

/// Empty if no parameter of the reference has content. `comparisons`: the most that are made; whole weights
/// come first, then joined ones, then parts.
HeldParameters find_held_parameters(const onnx::Model& model,
                                    std::span<const capture::CapturedParameter> parameters,
                                    std::size_t comparisons = max_comparisons);

}  // namespace thence::reference
