// Runs Python in a child process with limits: a file of a few hundred bytes can require years of time and
// terabytes of memory.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>

#include "base/blocked_signals.h"
#include "base/format.h"
#include "base/memory_limit.h"
#include "cli/command.h"
#include "cli/python.h"

namespace thence::cli {
namespace {

volatile std::sig_atomic_t running_child = 0;  // leads its own process group
volatile std::sig_atomic_t child_gets_signals = 0;
volatile std::sig_atomic_t timed_out = 0;

void on_deadline(int) {
  timed_out = 1;
  if (const pid_t child = running_child; child > 0) (void)kill(-child, SIGKILL);
}

// During its lifetime, SIGALRM ends the child after the given number of seconds.
class Deadline {
 public:
  explicit Deadline(std::size_t seconds) {
    timed_out = 0;
    if (seconds == 0) return;
    std::signal(SIGALRM, on_deadline);
    set(seconds);
  }
  ~Deadline() { set(0); }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

 private:
  static void set(std::size_t seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    (void)setitimer(ITIMER_REAL, &timer, nullptr);
  }
};

// Limits private writable memory, not address space: a runtime maps weights from files and reserves address
// space for threads, and neither uses memory that others need.
void limit_memory(std::size_t mebibytes) {
  if (mebibytes == 0) return;
  const rlim_t bytes = static_cast<rlim_t>(mebibytes) << 20;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_max != RLIM_INFINITY && limit.rlim_max < bytes)
    return;
  limit.rlim_cur = limit.rlim_max = bytes;
  (void)setrlimit(RLIMIT_DATA, &limit);
}

// Runs in the child. The child leaves the process group of the terminal, so that an interrupt reaches this
// program first, which ends the child immediately. Python would wait for the running C++ code.
void prepare_child(pid_t parent, const PythonLimits& limits) {
  (void)setpgid(0, 0);
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(interrupted);  // the parent ended before prctl
  limit_memory(limits.mebibytes);
  // One thread is enough for this work. A linear algebra library would allocate a buffer for each core.
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) setenv(name, "1", 0);
}

// A signal handler that runs in the parent knows the child, and the child leads its group by then: otherwise
// the handler would end no process, and wait for ever. Both processes set the group, because either may run
// first.
pid_t start_child() {
  const base::BlockedSignals blocked;
  const pid_t child = fork();
  if (child > 0) {
    (void)setpgid(child, child);
    running_child = child;
  }
  return child;
}

void read_all(int descriptor, std::string& text) {
  std::array<char, 1 << 16> piece;
  for (;;) {
    const ssize_t got = read(descriptor, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

void write_all(int descriptor, const std::function<void(base::Writer&)>& write) {
  base::Writer out([&](std::string_view piece) {
    while (!piece.empty()) {
      const ssize_t put = ::write(descriptor, piece.data(), piece.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return false;  // the child ended early and printed the reason
      piece.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
  });
  write(out);
  out.flush();
}

int wait_for(pid_t child) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
  running_child = 0;  // before another process can get this id
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

// The exit code of the child, or an error if it was ended.
int exit_code_of(int status, const std::string& command, const PythonLimits& limits) {
  if (timed_out != 0)
    return fail({ErrorKind::bad_input, "L001",
                 base::format("'thence {}' exceeded the time limit of {} s", command, limits.seconds),
                 limits.remedy != nullptr ? limits.remedy
                                          : "allow more with --timeout SECONDS, if you trust the model"});
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  if (const std::uint64_t limit = base::memory_limit(); limit > 0 && limit < limits.bytes())
    return fail({ErrorKind::input_output, "F005",
                 base::format("'thence {}': Python was ended by signal {}", command, signal),
                 base::out_of_memory_remedy()});
  // A library that runs out of memory or stack may end like this, and a malicious model can cause it.
  if (signal == SIGABRT || signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE)
    return fail({ErrorKind::bad_input, "L003",
                 base::format("'thence {}': Python crashed on the model (signal {})", command, signal),
                 limits.remedy != nullptr ? limits.remedy
                 : limits.mebibytes == 0
                     ? "check the model with onnx.checker"
                     : base::format("check the model with onnx.checker; if you trust it, allow more memory "
                                    "than {} MiB with --memory",
                                    limits.mebibytes)});
  return fail({ErrorKind::input_output, "F005", base::format("Python was ended by signal {}", signal),
               "free some memory, and try again"});
}

}  // namespace

void end_python(int signal) {
  const pid_t child = running_child;
  if (child <= 0) return;
  (void)kill(-child, child_gets_signals != 0 ? signal : SIGKILL);
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
}

int run_python_child(const std::string& command, std::string request, const PythonLimits& limits,
                     const std::function<void(base::Writer&)>& write, std::string* answer) {
  if (limits.mebibytes > 0) add_number<"memory">(limits.mebibytes, request);
  std::array<int, 2> pipe_ends{}, answer_ends{-1, -1};
  const bool piped = pipe2(pipe_ends.data(), O_CLOEXEC) == 0 &&
                     (answer == nullptr || pipe2(answer_ends.data(), O_CLOEXEC) == 0);
  const pid_t parent = getpid();
  child_gets_signals = limits.gets_signals ? 1 : 0;
  const pid_t child = piped ? start_child() : -1;
  if (child < 0)
    return fail({ErrorKind::input_output, "F005", "cannot start another process",
                 "end some processes, or free some memory"});
  if (child == 0) {
    prepare_child(parent, limits);
    dup2(pipe_ends[0], STDIN_FILENO);
    if (answer != nullptr) dup2(answer_ends[1], STDOUT_FILENO);
    _exit(run_python(command, request));
  }
  const Deadline deadline(limits.seconds);
  close(pipe_ends[0]);
  write_all(pipe_ends[1], write);
  close(pipe_ends[1]);
  if (answer != nullptr) {
    close(answer_ends[1]);
    read_all(answer_ends[0], *answer);
    close(answer_ends[0]);
  }
  return exit_code_of(wait_for(child), command, limits);
}

int run_python_alone(const std::string& command, const std::string& request) {
  if (base::memory_limit() == 0) return run_python(command, request);
  return run_python_child(command, request, {.gets_signals = true}, [](base::Writer&) {});
}

void add_limit_flags(Command& command, PythonLimits& limits, const std::string& work) {
  command.number({.name = "--timeout",
                  .help = base::format("Time limit for {} in seconds; 0: none", work),
                  .type = "SECONDS",
                  .show_default = true},
                 limits.seconds, 0, 10'000'000);
  command.number({.name = "--memory",
                  .help = base::format(
                      "Memory limit for {} in MiB, added to four times the size of the files; 0: none", work),
                  .type = "MIB",
                  .show_default = true},
                 limits.mebibytes, 0, 1'000'000'000);
}

}  // namespace thence::cli
