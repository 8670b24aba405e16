#include "cli/python.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/memory_limit.h"
#include "base/text.h"
#include "cli/command.h"

namespace thence::cli {
namespace {

std::string executable_path() {
  std::array<char, PATH_MAX> link{};
  const ssize_t length = readlink("/proc/self/exe", link.data(), link.size() - 1);
  return {link.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

// Looks beside the program as called, which may be a link in a virtual environment, and beside the link's
// target.
std::vector<std::string> candidates() {
  if (const char* named = std::getenv("THENCE_PYTHON"); named != nullptr && *named != '\0') return {named};
  std::vector<std::string> all;
  const auto beside = [&](std::string program) {
    if (const std::size_t slash = program.rfind('/'); slash != std::string::npos)
      all.push_back(program.substr(0, slash + 1) + "python3");
  };
  if (const char* environment = std::getenv("_"); environment != nullptr) {
    const std::string_view called = environment;
    if (called.ends_with("/thence")) beside(environment);
  }
  if (!program_name().empty()) beside(program_name());
  if (std::string path = executable_path(); !path.empty()) beside(std::move(path));
  return all;
}

// The interpreter runs the command. If the package is missing, it prints the last argument. The current
// folder is removed from the path before the first import, because its files may not be trusted.
constexpr const char* start = R"(import sys
sys.path[:] = [folder for folder in sys.path if folder]
message = sys.argv.pop()
try:
    from thence.commands import main
except ModuleNotFoundError as error:
    if error.name != "thence":
        raise
    sys.exit(print(message, file=sys.stderr) or 2)
sys.exit(main())
)";

// Keeps Python from importing from the current folder. PYTHONSAFEPATH does so from Python 3.11 on, also in
// child processes of Python; `start` covers 3.10. An empty entry of PYTHONPATH, as in
// PYTHONPATH=$PYTHONPATH:/more, also means the current folder and is rarely intended. Folders that the user
// names stay.
void exclude_current_folder() {
  setenv("PYTHONSAFEPATH", "1", 1);
  const char* named = std::getenv("PYTHONPATH");
  if (named == nullptr) return;
  std::vector<std::string> kept;
  for (const std::string_view folder : base::split(named, ':'))
    if (!folder.empty()) kept.emplace_back(folder);
  if (kept.empty())
    unsetenv("PYTHONPATH");
  else
    setenv("PYTHONPATH", base::joined(kept, ":").c_str(), 1);
}

// Python could not start with little memory; it sets the limit itself.
void pass_memory_limit(std::string& request) {
  if (const std::uint64_t limit = base::memory_limit(); limit > 0) add_number<"max_memory">(limit, request);
  base::lift_memory_limit();
}

}  // namespace

int run_python(const std::string& command, std::string request) {
  pass_memory_limit(request);
  const auto run = [&](const std::string& python) {
    const Error missing = {
        ErrorKind::usage, "U008",
        base::format("'thence {}' needs the Python package thence, which {} does not have", command,
                     base::printable(python)),
        "install it there: pip install thence; or name another interpreter with THENCE_PYTHON"};
    std::array<std::string, 6> words = {python, "-c", start, command, request, error_text(missing)};
    std::array<char*, 7> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) arguments[i] = words[i].data();
    execvp(python.c_str(), arguments.data());
  };
  exclude_current_folder();
  const std::vector<std::string> tried = candidates();
  for (const std::string& python : tried)
    if (access(python.c_str(), X_OK) == 0) run(python);
  if (std::getenv("THENCE_PYTHON") == nullptr) run("python3");
  print_error({ErrorKind::usage, "U008",
               base::format("'thence {}' needs Python with the package thence; found none{}", command,
                            tried.empty() ? "" : " at " + base::printable(tried.front())),
               "install it with pip, or name the interpreter with THENCE_PYTHON"});
  return wrong_usage;
}

}  // namespace thence::cli
