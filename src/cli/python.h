// Commands that need Python, because they use a live model or a package. Flags are declared in C++; the work
// is done in Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/writer.h"
#include "cli/flags.h"

namespace thence::cli {

/// Replaces this process by the command of python/thence/commands.py. Uses the interpreter with which thence
/// was installed (THENCE_PYTHON, else the one beside this program), else the first one on PATH. Returns only
/// if there is none, with the exit code.
int run_python(const std::string& command, const std::string& request);

/// Limits on the work that a file can cause; 0: unlimited.
struct PythonLimits {
  std::size_t seconds = 0, mebibytes = 0;
  const char* remedy = nullptr;  // of an error; null: --timeout and --memory raise the limits

  /// A large model file needs more memory, because several copies exist while it is read.
  void allow_for_files(std::uintmax_t bytes) {
    if (mebibytes > 0) mebibytes += static_cast<std::size_t>(4 * (bytes >> 20));
  }
};
/// Python and its packages use less than 100 MiB and two seconds of this; the rest is for the model.
inline constexpr PythonLimits default_limits = {.seconds = 600, .mebibytes = 2048};
/// --timeout and --memory. The defaults are the values in `limits`.
void add_limit_flags(Command& command, PythonLimits& limits, const std::string& work);

/// Runs the command in a child process with the output of `write` as its standard input, and returns its exit
/// code. With `answer`, also returns its output after it has read everything. `request` is a JSON object.
///
/// The child ends with this process. If it reaches a limit, it is ended and an error is reported.
int run_python_child(const std::string& command, std::string request, const PythonLimits& limits,
                     const std::function<void(base::Writer&)>& write, std::string* answer = nullptr);

/// Ends the child, if there is one, and its child processes, and waits until it no longer writes files. Safe
/// in a signal handler.
void end_python();

}  // namespace thence::cli
