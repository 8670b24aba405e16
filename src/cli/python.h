// Commands that need Python, because they use a live model or a package. Flags are declared in C++; the work
// is done in Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "base/json_writer.h"
#include "base/writer.h"
#include "cli/flags.h"

namespace thence::cli {

/// Adds a member to a request, a JSON object that is not empty.
template <base::JsonKey name>
void add_number(std::uint64_t number, std::string& request) {
  request.pop_back();
  base::JsonWriter json(request, base::JsonWriter::Position::after_item);
  json.member<name>(number);
  json.end_object();
}

/// Replaces this process by the command of python/thence/commands.py. Uses the interpreter with which thence
/// was installed (THENCE_PYTHON, else the one beside this program), else the first one on PATH. Returns only
/// if there is none, with the exit code.
int run_python(const std::string& command, std::string request);

/// Limits on the work that a file can cause; 0: unlimited.
struct PythonLimits {
  std::size_t seconds = 0, mebibytes = 0;
  const char* remedy = nullptr;  // of an error; null: --timeout and --memory raise the limits
  bool gets_signals = false;     // the child ends itself after the signals that end this process
  /// The memory that the work may use; no limit is a very large one.
  std::uint64_t bytes() const { return mebibytes > 0 ? std::uint64_t{mebibytes} << 20 : ~std::uint64_t{0}; }
  /// A large model file needs more memory, because several copies exist while it is read.
  void allow_for_files(std::uintmax_t bytes) {
    if (mebibytes > 0) mebibytes += static_cast<std::size_t>(4 * (bytes >> 20));
  }
};
/// Python and its packages use less than 100 MiB and two seconds of this; the rest is for the model.
// errors.md: time for Python's work
inline constexpr std::size_t default_seconds = 600;
// errors.md: memory for Python's work
inline constexpr std::size_t default_mebibytes = 2048;
inline constexpr PythonLimits default_limits = {.seconds = default_seconds, .mebibytes = default_mebibytes};
/// --timeout and --memory. The defaults are the values in `limits`.
void add_limit_flags(Command& command, PythonLimits& limits, const std::string& work);

/// Runs the command in a child process with the output of `write` as its standard input, and returns its exit
/// code. With `answer`, also returns its output after it has read everything. `request` is a JSON object.
///
/// The child ends with this process. If it reaches a limit, it is ended and an error is reported.
int run_python_child(const std::string& command, std::string request, const PythonLimits& limits,
                     const std::function<void(base::Writer&)>& write, std::string* answer = nullptr);

/// The same for a command that needs nothing but Python: replaces this process. With a limit on memory, it
/// stays to report how Python ended.
int run_python_alone(const std::string& command, const std::string& request);

/// Ends the child, if there is one, and its child processes, and waits until it no longer writes files. A
/// child of run_python_alone() gets the signal, and removes its files itself. Safe in a signal handler.
void end_python(int signal);

}  // namespace thence::cli
