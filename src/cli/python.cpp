#include "cli/python.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/command.h"

namespace thence::cli {
namespace {

// Beside the program as it was called, which in a virtual environment is a link, and beside what it is.
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
  if (std::string path = own_path(); !path.empty()) beside(std::move(path));
  return all;
}

}  // namespace

std::string own_path() {
  std::array<char, PATH_MAX> link{};
  const ssize_t length = readlink("/proc/self/exe", link.data(), link.size() - 1);
  return {link.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

int feed_python(const std::string& command, const std::string& request,
                const std::function<void(base::Writer&)>& write) {
  std::array<int, 2> pipe_ends{};
  const pid_t child = pipe2(pipe_ends.data(), O_CLOEXEC) == 0 ? fork() : -1;
  if (child < 0) {
    print_error({ErrorKind::input_output, "F005", "another process cannot be started",
                 "end some, or free some memory"});
    return static_cast<int>(ErrorKind::input_output);
  }
  if (child == 0) {
    dup2(pipe_ends[0], STDIN_FILENO);
    _exit(run_python(command, request));
  }
  close(pipe_ends[0]);
  base::Writer out([&](std::string_view piece) {
    while (!piece.empty()) {
      const ssize_t put = ::write(pipe_ends[1], piece.data(), piece.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return false;  // it ended early, and said why
      piece.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
  });
  write(out);
  out.flush();
  close(pipe_ends[1]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  print_error({ErrorKind::input_output, "F005",
               fmt::format("Python was ended by signal {}", WTERMSIG(status)),
               "free some memory, and try again"});
  return static_cast<int>(ErrorKind::input_output);
}

int run_python(const std::string& command, const std::string& request) {
  const auto run = [&](const std::string& python) {
    std::array<std::string, 6> words = {python, "-m", "thence.commands", command, request, ""};
    std::array<char*, 6> arguments{};
    for (std::size_t i = 0; i < 5; ++i) arguments[i] = words[i].data();
    execvp(python.c_str(), arguments.data());
  };
  const std::vector<std::string> tried = candidates();
  for (const std::string& python : tried)
    if (access(python.c_str(), X_OK) == 0) run(python);
  if (std::getenv("THENCE_PYTHON") == nullptr) run("python3");
  print_error({ErrorKind::usage, "U008",
               fmt::format("'thence {}' needs Python with the package thence; found none{}", command,
                           tried.empty() ? "" : " at " + base::printable(tried.front())),
               "install it with pip, or name the interpreter with THENCE_PYTHON"});
  return wrong_usage;
}

}  // namespace thence::cli
