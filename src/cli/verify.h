// Passes claims to Python, which runs both models and compares their values.
#pragma once

#include "cli/command.h"
#include "cli/python.h"
#include "transfer/claims.h"

namespace thence::cli {

/// `exit_code` is the exit code of Python. If it is not `done`, Python has already printed the reason, and
/// the error of the verifier has no text.
transfer::Verifier verifier(const ModelFlags& flags, const PythonLimits& limits, int& exit_code);

/// Prints the result, a few lines per step. Prints nothing if nothing was verified.
void print_verification(const semantics::Map& map);

}  // namespace thence::cli
