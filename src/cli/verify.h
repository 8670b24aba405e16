// Claims handed over to Python, which runs both models and compares numbers.
#pragma once

#include "cli/command.h"
#include "cli/python.h"
#include "transfer/claims.h"

namespace thence::cli {

/// `exit_code` is what Python ended with; where that is not `done` it has said why, and the error that the
/// verifier gives has no words.
transfer::Verifier verifier(const ModelFlags& flags, const PythonLimits& limits, int& exit_code);

/// What came of it, a few lines for each step; nothing when nothing was verified.
void tell_verification(const semantics::Map& map);

}  // namespace thence::cli
