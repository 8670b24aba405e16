// What needs Python, a live model or a package: the flags are declared here, the work is done there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/writer.h"
#include "cli/flags.h"

namespace thence::cli {

/// Runs the command of python/thence/commands.py in place of this program: with the interpreter that thence
/// was installed with (THENCE_PYTHON, else the one beside this program), else the first on PATH. Comes back
/// only when there is none, with the exit code.
int run_python(const std::string& command, const std::string& request);

/// Bounds on work that a file asks for; 0: none.
struct PythonLimits {
  std::size_t seconds = 0, mebibytes = 0;

  /// A model that is large as a file needs more memory: several copies of it are held while it is read.
  void allow_for_files(std::uintmax_t bytes) {
    if (mebibytes > 0) mebibytes += static_cast<std::size_t>(4 * (bytes >> 20));
  }
};
/// Python with its packages takes less than 100 MiB and two seconds of this; the rest is for the model.
inline constexpr PythonLimits default_limits = {.seconds = 600, .mebibytes = 2048};
/// --timeout and --memory; the defaults are those that `limits` has.
void add_limit_flags(Command& command, PythonLimits& limits, const std::string& work);

/// The same in a child process, with what `write` writes as its standard input. Gives its exit code. With
/// `answer`: what it prints, once it has read all. `request` is a JSON object.
///
/// The child ends with this process, and at the latest when it reaches a limit, which is an error.
int feed_python(const std::string& command, std::string request, const PythonLimits& limits,
                const std::function<void(base::Writer&)>& write, std::string* answer = nullptr);

/// Ends the child, if there is one, and what it started. Safe in a signal handler.
void end_python();

}  // namespace thence::cli
