// Commands that need a live model: their flags are declared here, their work is done by Python.
#pragma once

#include <string>

namespace thence::cli {

/// Runs `python -m thence.commands COMMAND REQUEST` in place of this program: with the interpreter that
/// thence was installed with (THENCE_PYTHON, else the one beside this program), else the first on PATH. Comes
/// back only when there is none, with the exit code.
int run_python(const std::string& command, const std::string& request);

/// Where this program lies, for Python to run it once more.
std::string own_path();

}  // namespace thence::cli
