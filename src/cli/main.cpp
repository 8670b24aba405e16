// thence: reports the PyTorch module that produced each node of an ONNX model, with evidence.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include "base/blocked_signals.h"
#include "base/memory_limit.h"
#include "base/temporary_file.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/python.h"
#include "cli/run_folder.h"

namespace thence::cli {
namespace {

// What must not stay when the program ends early. `signal` is what a child gets that removes its own files.
void clean_up(int signal = SIGTERM) {
  end_python(signal);
  base::remove_temporary_files();
  remove_run_folder();
}

// For signal handlers, and where memory is exhausted.
void write_error(const char* text) {
  [[maybe_unused]] const ssize_t put = write(STDERR_FILENO, text, std::strlen(text));
}

// If a mapped file is shortened while it is read, SIGBUS is raised. That is an input/output failure, not a
// bug.
void on_bus_error(int) {
  write_error(
      "error[F004]: the file became shorter while it was read, or its disk failed\n  help: try again when "
      "no process writes to it\n");
  clean_up();
  _exit(4);
}
// Called where memory is exhausted, in any thread. It ends the program at once: an exception could not leave
// a thread or a function that must not throw.
void on_exhausted_memory() {
  static std::atomic_flag is_ending;
  if (is_ending.test_and_set()) (void)pause();  // another thread ends the program
  write_error("error[F005]: out of memory\n  help: ");
  write_error(base::out_of_memory_remedy());
  write_error("\n");
  clean_up();
  _exit(4);
}
void on_interrupt(int signal) {
  clean_up(signal);
  _exit(interrupted);
}
void on_termination(int signal) {
  clean_up(signal);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}
// A signal that the caller ignores stays ignored: nohup ignores SIGHUP.
void handle(int signal, void (*handler)(int)) {
  if (std::signal(signal, handler) == SIG_IGN) std::signal(signal, SIG_IGN);
}
// Keeps closed standard streams closed: no opened file may get their descriptors.
void open_missing_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
const DeclaredCommand* find_command(const std::list<DeclaredCommand>& commands, std::string_view name) {
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [&](const DeclaredCommand& command) { return command.name == name; });
  return found == commands.end() ? nullptr : &*found;
}

// thence help [COMMAND [SUBCOMMAND]]
int print_help(const std::list<DeclaredCommand>& commands, const std::vector<std::string>& names) {
  CommandPath path;
  const std::list<DeclaredCommand>* known_commands = &commands;
  for (const std::string& name : names) {
    if (name.starts_with('-')) continue;  // help --help
    const DeclaredCommand* const command = find_command(*known_commands, name);
    if (command == nullptr) {
      print_error(unknown_command(*known_commands, name));
      return wrong_usage;
    }
    path.push_back(command);
    known_commands = &command->commands;
  }
  std::fputs((path.empty() ? program_help(commands) : command_help(path)).c_str(), stdout);
  return done;
}

int run_program(int argc, char** argv) {
  Program program("thence", "thence " THENCE_VERSION);
  if (argc > 0) program_name() = argv[0];
  add_export(program);
  add_capture(program);
  add_map(program);
  add_show(program);
  add_explain(program);
  add_query(program);
  add_weights(program);
  add_view(program);
  add_report(program);
  add_tag(program);
  add_transfer(program);
  add_diff(program);
  add_drift(program);
  add_profile(program);
  add_strip(program);
  add_check(program);
  add_extract(program);
  add_fold(program);
  add_unfold(program);
  add_convert(program);
  add_rules(program);
  add_eval(program);
  add_completions(program);
  if (argc > 1 && std::strcmp(argv[1], completion_command) == 0) {
    for (const std::string& candidate : complete(program.declared(), {argv + 2, argv + argc}))
      std::printf("%s\n", candidate.c_str());
    return done;
  }
  if (argc < 2) {
    std::fputs(program_help(program.declared()).c_str(), stderr);
    return wrong_usage;
  }
  if (std::strcmp(argv[1], "help") == 0) return print_help(program.declared(), {argv + 2, argv + argc});
  if (*argv[1] != '-' && find_command(program.declared(), argv[1]) == nullptr) {
    print_error(unknown_command(program.declared(), argv[1]));
    return wrong_usage;
  }
  return program.run(argc, argv);
}

}  // namespace
}  // namespace thence::cli

int main(int argc, char** argv) {
  thence::cli::open_missing_streams();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // makes exceeding the file size limit a failed write
  std::signal(SIGBUS, thence::cli::on_bus_error);
  std::set_new_handler(thence::cli::on_exhausted_memory);
  for (const int signal : thence::base::ending_signals)
    thence::cli::handle(signal, signal == SIGINT ? thence::cli::on_interrupt : thence::cli::on_termination);
  try {
    return thence::cli::run_program(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "thence: this is a bug in thence, please report it: %s\n", error.what());
    return thence::cli::internal_error;
  }
}
