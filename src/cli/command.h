// A command: its flags as data, then one call into the library.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/brief.h"
#include "base/diagnostic.h"
#include "base/result.h"
#include "base/writer.h"
#include "cli/flags.h"
#include "edit/tag.h"
#include "semantics/map.h"

namespace thence::cli {

/// Exit codes. For failures of the library, see ErrorKind.
inline constexpr int done = 0, nothing_found = 1, wrong_usage = 2, internal_error = 70, interrupted = 130;

/// The flags of every command that reads a model.
struct ModelFlags {
  std::string model;
  semantics::MapOptions options;
  std::vector<std::string> exceptions;
  bool replace_exceptions = false;
  bool quiet = false;
  std::string tag_format = "ordinal";
  std::string granularity;  // empty: from the rules, if there are any
  bool takes_rules = false, no_rules = false;
  std::size_t jobs = 0;
  std::optional<std::size_t> width;        // of tables; empty: the width of the terminal
  std::string output;                      // a file instead of standard output
  std::string saved_model;                 // --model: a folder or a configuration; empty: none
  std::vector<std::string> more_inputs{};  // other files that the command reads
};

/// Declares the flags of a command.
void add_model_flags(Command& command, ModelFlags& flags);
/// The same without the model. `output_help` describes the output of the command.
void add_answer_flags(Command& command, ModelFlags& flags, const char* output_help);
/// --rules, --no-rules and --granularity, for commands that print modules.
void add_rules_flags(Command& command, ModelFlags& flags);
void add_capture_flag(Command& command, ModelFlags& flags);
void add_ignore_tags_flag(Command& command, ModelFlags& flags);
/// --format and --width.
void add_format_flag(Command& command, ModelFlags& flags, std::string& format);
void add_width_flag(Command& command, ModelFlags& flags);

/// Reads the model, makes its map and prints diagnostics. On failure, prints the error and returns its exit
/// code.
struct OpenedMap {
  const semantics::Map* map =
      nullptr;  // never destroyed, because the program ends right after and destruction takes long
  int exit_code = done;
};
OpenedMap open_map(ModelFlags& flags);
/// Completes the options for a map that is made elsewhere.
/// Returns an exit code if the flags cannot be used.
[[nodiscard]] int resolve_options(ModelFlags& flags);
OpenedMap keep_map(const ModelFlags& flags, Result<semantics::Map> map);

/// Compares all strategies on the model, in one of the formats.
int compare_strategies(ModelFlags& flags, const std::string& format);

/// A file that describes the output of a command.
struct FileBeside {
  std::string path;
  std::function<void(base::Writer&)> write;
  bool path_is_derived = false;  // the user did not type it
};

/// Runs `write` with standard output or the requested file. A closed pipe is not an error. On failure, no
/// partial file is left. Refuses to replace a file that the command reads. With a file beside it, both are
/// replaced together, or none.
int write_output(const ModelFlags& flags, const std::function<void(base::Writer&)>& write,
                 const FileBeside* beside = nullptr);
/// The same for a model, which may replace the input model.
int write_model_output(const ModelFlags& flags, const std::function<void(base::Writer&)>& write,
                       const FileBeside* beside = nullptr);
/// Returns an error if `output` is one of the files that the command reads.
std::optional<Error> check_not_input(const ModelFlags& flags, const std::string& output,
                                     bool model_too = true);

/// Writes the model with its answers as tags, and prints the number of tags.
int write_tagged_model(const semantics::Map& map, const ModelFlags& flags, edit::TagOptions options = {},
                       const FileBeside* beside = nullptr);

/// A folded file is read as the flat model, so the copy of it that a command writes is flat. Prints a note.
void print_flat_note(const onnx::Model& model, const ModelFlags& flags);

/// External data is looked up beside the model, so a copy of the model in another folder does not find it.
/// Prints a note.
void print_external_data_note(const onnx::Model& model, const ModelFlags& flags);

void print_error(const Error& error);
/// Prints the error and returns its exit code.
int fail(const Error& error);
/// The text of an error, without the final line break.
std::string error_text(const Error& error);
using base::brief;
bool colour_on_output(const ModelFlags& flags);
/// Width of tables: as given, or that of the terminal; 0: unlimited.
std::size_t table_width(const ModelFlags& flags);

/// The number of threads: as given, or the number of cores.
unsigned threads(const ModelFlags& flags);

/// Set-up of the commands, one file per command.
void add_map(Program& program);
void add_show(Program& program);
void add_explain(Program& program);
void add_eval(Program& program);
void add_export(Program& program);
void add_capture(Program& program);
void add_tag(Program& program);
void add_transfer(Program& program);
void add_diff(Program& program);
void add_drift(Program& program);
void add_profile(Program& program);
void add_strip(Program& program);
void add_check(Program& program);
void add_extract(Program& program);
void add_fold(Program& program);
void add_unfold(Program& program);
void add_convert(Program& program);
void add_query(Program& program);
void add_weights(Program& program);
void add_rules(Program& program);
void add_view(Program& program);
void add_report(Program& program);
void add_completions(Program& program);

/// The name by which the program was called; empty if unknown.
std::string& program_name();

}  // namespace thence::cli
