// A command: its flags as data, then one call into the library.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "base/result.h"
#include "base/writer.h"
#include "cli/flags.h"
#include "edit/tag.h"
#include "semantics/map.h"

namespace thence::cli {

/// Exit codes; the library's failures are ErrorKind.
inline constexpr int done = 0, nothing_found = 1, wrong_usage = 2, our_bug = 70, interrupted = 130;

/// What every command that reads a model takes.
struct ModelFlags {
  std::string model;
  semantics::MapOptions options;
  std::vector<std::string> exceptions;
  bool replace_exceptions = false;
  bool quiet = false;
  std::string tag_format = "ordinal";
  std::string granularity;  // empty: as rules say, if there are any
  bool takes_rules = false, no_rules = false;
  std::size_t jobs = 0;
  std::optional<std::size_t> width;        // of tables; none: that of the terminal
  std::string output;                      // a file instead of standard output
  bool output_is_derived = false;          // the user did not type its name
  std::vector<std::string> more_inputs{};  // files that the command reads beside those above
};

/// Declares the flags on a command.
void add_model_flags(Command& command, ModelFlags& flags);
/// The same without the model itself; what is written, commands differ in.
void add_answer_flags(Command& command, ModelFlags& flags, const char* output_help);
/// --rules, --no-rules and --granularity, for commands that print modules.
void add_rules_flags(Command& command, ModelFlags& flags);
void add_capture_flag(Command& command, ModelFlags& flags);
/// --format and --width.
void add_format_flag(Command& command, ModelFlags& flags, std::string& format);
void add_width_flag(Command& command, ModelFlags& flags);

/// Reads the model and answers; prints diagnostics. On failure prints the error and gives its exit code.
struct Opened {
  const semantics::Map* map =
      nullptr;  // never destroyed: the program ends with it, and taking it apart takes long
  int exit_code = done;
};
Opened open_map(ModelFlags& flags);
/// The same of a map that was made in another way, with the options that the flags ask for.
void settle_options(ModelFlags& flags);
Opened keep_map(const ModelFlags& flags, Result<semantics::Map> map);

/// Every strategy on the model, side by side, in one of the formats.
int compare_strategies(ModelFlags& flags, const std::string& format);

/// Runs `write` with standard output or the file that was asked for. A closed pipe ends quietly; a file
/// appears whole or not at all.
/// Refuses to replace a file that the command reads.
int deliver(const ModelFlags& flags, const std::function<void(base::Writer&)>& write);
/// The same for what is a model again, which may replace the one that was read.
int deliver_model(const ModelFlags& flags, const std::function<void(base::Writer&)>& write);
/// An error if `output` is one of the files that the command reads.
std::optional<Error> replaces_input(const ModelFlags& flags, const std::string& output,
                                    bool model_too = true);

/// Writes the model with its answers as tags, and says how many there are.
int deliver_tagged(const semantics::Map& map, const ModelFlags& flags, edit::TagOptions options = {});

/// Data in other files is found beside the model: a copy elsewhere does not find it.
void tell_of_data_left_behind(const onnx::Model& model, const ModelFlags& flags);

void print_error(const Error& error);
/// Prints the error and returns its exit code.
int fail(const Error& error);
/// An error as it is printed, without the last line's end.
std::string error_text(const Error& error);
/// Text from a file as it may be shown in a message: printable, and no longer than people read.
std::string brief(std::string_view text);
bool colour_on_output(const ModelFlags& flags);
/// Width for tables: as given, or that of the terminal; 0: unlimited.
std::size_t table_width(const ModelFlags& flags);

/// How many threads to use: as many as were asked for, or as there are cores.
unsigned threads(const ModelFlags& flags);

/// Set-up of the commands, one file each.
void add_map(Program& program);
void add_show(Program& program);
void add_explain(Program& program);
void add_eval(Program& program);
void add_export(Program& program);
void add_capture(Program& program);
void add_tag(Program& program);
void add_transfer(Program& program);
void add_diff(Program& program);
void add_strip(Program& program);
void add_check(Program& program);
void add_extract(Program& program);
void add_fold(Program& program);
void add_convert(Program& program);
void add_query(Program& program);
void add_rules(Program& program);
void add_completions(Program& program);

/// How the program was called; empty when that is not known.
std::string& program_name();

}  // namespace thence::cli
