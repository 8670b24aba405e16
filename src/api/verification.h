// Reads the answer of the Python code that runs two models and compares their values.
#pragma once

#include <string_view>
#include <vector>

#include "transfer/claims.h"

namespace thence::api {

/// The answer has one line per claim: `confirmed`, `refuted` and the difference of the values, or the reason
/// why they cannot be compared. Or it has a single line: `not_run` and the reason.
Result<evidence::Verification> read_verification(std::string_view answer,
                                                 const std::vector<transfer::Claim>& claims,
                                                 const onnx::Model& ancestor, const onnx::Model& descendant);

}  // namespace thence::api
