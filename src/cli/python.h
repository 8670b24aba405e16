// What needs Python, a live model or a package: the flags are declared here, the work is done there.
#pragma once

#include <functional>
#include <string>

#include "base/writer.h"

namespace thence::cli {

/// Runs the command of python/thence/commands.py in place of this program: with the interpreter that thence
/// was installed with (THENCE_PYTHON, else the one beside this program), else the first on PATH. Comes back
/// only when there is none, with the exit code.
int run_python(const std::string& command, const std::string& request);

/// Where this program lies, for Python to run it once more.
std::string own_path();
/// The same beside this program, with what `write` writes as its standard input. Gives its exit code. With
/// `answer`: what it prints, once it has read all.
int feed_python(const std::string& command, const std::string& request,
                const std::function<void(base::Writer&)>& write, std::string* answer = nullptr);

}  // namespace thence::cli
