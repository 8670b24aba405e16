#include "cli/command.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <set>
#include <thread>

#include "base/atomic_file.h"
#include "base/changed_file.h"
#include "base/format.h"
#include "base/text.h"
#include "cli/saved_model.h"
#include "pipeline/pipeline.h"
#include "resolve/strategy.h"
#include "rules/read.h"

namespace thence::cli {

void add_model_flags(Command& command, ModelFlags& flags) {
  command.text(
      {.name = "model", .help = "ONNX file; - reads standard input", .type = "MODEL", .required = true},
      flags.model);
  add_answer_flags(command, flags, "Write to FILE instead of standard output");
}

void add_answer_flags(Command& command, ModelFlags& flags, const char* output_help) {
  add_capture_flag(command, flags);
  command.text({.name = "--model",
                .help = "Saved model instead of a capture: a folder with its config.json, or a config.json; "
                        "needs Python with transformers",
                .type = "FOLDER"},
               flags.saved_model);
  command.text(
      {.name = "-s,--strategy",
       .help = "Evidence to use: auto, enhanced_semantic or usage_based; htp, universal and fx_graph need a "
               "capture with their section",
       .type = "NAME",
       .show_default = true},
      flags.options.strategy);
  command.section("Modules");
  command.comma_list(
      {.name = "--torch-nn-exceptions",
       .help = "torch.nn classes that count as modules of the model, instead of norms and Embedding",
       .type = "CLASS,..."},
      flags.exceptions);
  command.text({.name = "--tag-format",
                .help = "ordinal: a tag identifies one module; class: class names only",
                .type = "FORMAT",
                .choices = {"ordinal", "class"}},
               flags.tag_format);
  command.section("Output");
  command.text({.name = "-o,--output", .help = output_help, .type = "FILE"}, flags.output);
  command.number(
      {.name = "-j,--jobs", .help = "Number of threads; 0: one per core", .type = "N", .show_default = true},
      flags.jobs, 0, 256);
  command.flag({.name = "-q,--quiet", .help = "Print no summary and no diagnostics"}, flags.quiet);
}

void add_capture_flag(Command& command, ModelFlags& flags) {
  command.section("Evidence");
  command.text({.name = "-c,--capture",
                .help = "Capture file, or a .pt2 written by torch.export.save",
                .type = "FILE"},
               flags.options.capture);
}

void add_ignore_tags_flag(Command& command, ModelFlags& flags) {
  command.section("Evidence");
  command.flag({.name = "--ignore-tags", .help = "Ignore tags of thence in the model"},
               flags.options.ignore_tags);
}

void add_rules_flags(Command& command, ModelFlags& flags) {
  flags.takes_rules = true;
  command.section("Modules");
  command.text({.name = "--rules",
                .help = "Rules file, instead of the nearest thence.toml in the working folder or above it",
                .type = "FILE"},
               flags.options.rules);
  command.flag({.name = "--no-rules", .help = "Do not look for thence.toml"}, flags.no_rules);
  command.text(
      {.name = "--granularity",
       .help =
           "Modules to show: hf (not from torch.nn, plus the exceptions), nn (all) or custom (as the rules "
           "choose)",
       .type = "NAME",
       .choices = {"hf", "nn", "custom"}},
      flags.granularity);
}

void add_format_flag(Command& command, ModelFlags& flags, std::string& format) {
  command.section("Output");
  command.text({.name = "-f,--format",
                .help = "table, json, jsonl, csv, or csv-raw (no apostrophes before = + - @)",
                .type = "FORMAT",
                .choices = {"table", "json", "jsonl", "csv", "csv-raw"},
                .show_default = true},
               format);
  add_width_flag(command, flags);
}

void add_width_flag(Command& command, ModelFlags& flags) {
  command.number(
      {.name = "--width",
       .help = "Width of tables; 0: unlimited (default: the terminal's width, unlimited in a file or pipe)",
       .type = "N"},
      flags.width, 0, 10'000);
}

unsigned threads(const ModelFlags& flags) {
  return flags.jobs > 0 ? static_cast<unsigned>(flags.jobs)
                        : std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
}

std::string& program_name() {
  static std::string name;
  return name;
}

std::string error_text(const Error& error) {
  std::string text = base::format("error[{}]: {}", error.code, error.text);
  if (!error.hint.empty()) text += base::format("\n  help: {}", error.hint);
  return text;
}

void print_error(const Error& error) { std::fputs((error_text(error) + "\n").c_str(), stderr); }

int fail(const Error& error) {
  print_error(error);
  return static_cast<int>(error.kind);
}

namespace {

void print_diagnostics(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.kept())
    std::fputs(base::format("{}[{}]: {}{}{}\n", diagnostic.severity == Severity::note ? "note" : "warning",
                            diagnostic.code, brief(diagnostic.where), diagnostic.where.empty() ? "" : ": ",
                            brief(diagnostic.text))
                   .c_str(),
               stderr);
  for (const auto& [code, count] : diagnostics.counts())
    if (count > Diagnostics::kept_per_code)
      std::fputs(base::format("warning[{}]: and {} more like it\n", code, count - Diagnostics::kept_per_code)
                     .c_str(),
                 stderr);
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

int write_standard_output(const std::function<void(base::Writer&)>& write) {
  int failure = 0;
  base::Writer out([&](std::string_view piece) {
    if (write_all(STDOUT_FILENO, piece)) return true;
    failure = errno;
    return false;
  });
  write(out);
  out.flush();
  if (out.source_error()) return fail(*out.source_error());
  if (failure == 0 || failure == EPIPE) return done;
  print_error({ErrorKind::input_output, "F003", base::format("standard output: {}", std::strerror(failure)),
               "free some space, or write to another place"});
  return static_cast<int>(ErrorKind::input_output);
}

bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

// Whether a folder is a repository of the user. As for git, a repository of somebody else proves nothing, and
// neither does an empty folder of that name.
bool is_own_repository(const std::filesystem::path& folder) {
  const std::filesystem::path git = folder / ".git";
  struct stat info {};
  if (stat(git.c_str(), &info) != 0 || info.st_uid != geteuid()) return false;
  std::error_code failed;
  return S_ISREG(info.st_mode) ? info.st_size > 0 : std::filesystem::exists(git / "HEAD", failed);
}

// Whether a rules file was found in a parent of the working folder that is neither in the user's home nor in
// the same repository. In /tmp, for example, any user may have created it.
bool is_untrusted(const std::string& rules) {
  namespace fs = std::filesystem;
  std::error_code failed;
  if (!rules.starts_with("../")) return false;
  const fs::path folder = fs::canonical(rules, failed).parent_path(), here = fs::current_path(failed);
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0' && is_inside(folder, fs::weakly_canonical(home, failed))) return false;
  for (fs::path at = here; at != at.parent_path(); at = at.parent_path())
    if (is_own_repository(at)) return !is_inside(folder, at);
  return true;
}

}  // namespace

int resolve_options(ModelFlags& flags) {
  if (const int code = describe_saved_model(flags); code != done) return code;
  if (!flags.exceptions.empty()) flags.options.torch_nn_exceptions = flags.exceptions;
  flags.options.tag_format =
      flags.tag_format == "class" ? semantics::TagFormat::bare : semantics::TagFormat::ordinal;
  flags.options.jobs = threads(flags);
  flags.options.granularity = rules::granularity_of(flags.granularity);
  if (flags.takes_rules && !flags.no_rules && flags.options.rules.empty()) {
    flags.options.rules = rules::find_rules();
    if (is_untrusted(flags.options.rules))
      std::fputs(
          base::format("warning[{}]: {}: rules from outside of your home folder and repository are used; "
                       "--no-rules leaves them out\n",
                       "R008", brief(flags.options.rules))
              .c_str(),
          stderr);
  }
  return done;
}

OpenedMap keep_map(const ModelFlags& flags, Result<semantics::Map> map) {
  if (!map) {
    print_error(map.error());
    return {nullptr, static_cast<int>(map.error().kind)};
  }
  if (!flags.quiet) print_diagnostics(map->diagnostics());
  static auto& kept = *new std::deque<semantics::Map>;
  return {&kept.emplace_back(*std::move(map)), done};
}

OpenedMap open_map(ModelFlags& flags) {
  if (const int code = resolve_options(flags); code != done) return {nullptr, code};
  return keep_map(flags, pipeline::map_file(flags.model, flags.options));
}

std::optional<Error> check_not_input(const ModelFlags& flags, const std::string& output, bool model_too) {
  if (output.empty() || output == "-" || base::is_pipe_or_device(output)) return std::nullopt;
  std::vector<std::string> inputs = flags.more_inputs;
  inputs.insert(inputs.end(), {flags.options.capture, flags.options.rules});
  if (model_too) inputs.push_back(flags.model);
  const bool replaces_input =
      is_part_of_saved_model(flags, output) ||
      std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
        std::error_code ignored;  // the file may not exist
        return !input.empty() && input != "-" && std::filesystem::equivalent(input, output, ignored);
      });
  if (!replaces_input) return std::nullopt;
  return Error{ErrorKind::usage, "U011",
               base::format("{}: the output would replace an input file", brief(output)),
               "give another file with -o"};
}

namespace {

std::optional<Error> write_files(const std::vector<base::FileToWrite>& files) {
  if (files.empty()) return std::nullopt;
  if (std::none_of(files.begin(), files.end(),
                   [](const base::FileToWrite& file) { return base::is_pipe_or_device(file.path); }))
    return base::write_together(files);
  for (const base::FileToWrite& file : files)
    if (std::optional<Error> error = base::write_atomically(file.path, file.write, file.policy)) return error;
  return std::nullopt;
}

// Output that was made of a file that changed meanwhile is none.
std::function<void(base::Writer&)> checked(const std::function<void(base::Writer&)>& write) {
  return [&write](base::Writer& out) {
    write(out);
    if (std::optional<Error> changed = base::find_changed_file()) out.fail(*std::move(changed));
  };
}

void report_replaced(const std::vector<std::string>& paths) {
  for (const std::string& path : paths)
    std::fputs(base::format("note[{}]: {}: an existing file was replaced\n", "E020", brief(path)).c_str(),
               stderr);
}

int write_to_destination(const ModelFlags& flags, const std::function<void(base::Writer&)>& write,
                         const FileBeside* beside, bool is_model) {
  const bool to_standard_output = flags.output.empty() || flags.output == "-";
  // The output comes last: a reader that sees it also sees the file beside it.
  std::vector<base::FileToWrite> files;
  std::vector<std::string> precious;  // a model may be all that is left of a training run
  if (beside != nullptr) {
    using Policy = base::SymlinkPolicy;
    files.push_back(
        {beside->path, checked(beside->write), beside->path_is_derived ? Policy::replace : Policy::follow});
    if (beside->path_is_derived) precious.push_back(beside->path);
    if (const auto error = check_not_input(flags, beside->path)) return fail(*error);
  }
  if (!to_standard_output) {
    files.push_back({flags.output, checked(write)});
    if (is_model && flags.output != flags.model) precious.push_back(flags.output);
    if (const auto error = check_not_input(flags, flags.output, !is_model)) return fail(*error);
  }
  std::error_code ignored;
  std::erase_if(precious, [&](const std::string& path) {
    return flags.quiet || !std::filesystem::is_regular_file(path, ignored);
  });
  if (to_standard_output)
    if (const int code = write_standard_output(checked(write)); code != done) return code;
  if (const std::optional<Error> error = write_files(files)) return fail(*error);
  report_replaced(precious);
  return done;
}

}  // namespace

int write_output(const ModelFlags& flags, const std::function<void(base::Writer&)>& write,
                 const FileBeside* beside) {
  return write_to_destination(flags, write, beside, false);
}

int write_model_output(const ModelFlags& flags, const std::function<void(base::Writer&)>& write,
                       const FileBeside* beside) {
  return write_to_destination(flags, write, beside, true);
}

void print_flat_note(const onnx::Model& model, const ModelFlags& flags) {
  if (model.is_derived() && !flags.quiet)
    std::fputs(
        base::format("note[{}]: {}: is folded; the flat model is written\n", "E019", brief(model.file()))
            .c_str(),
        stderr);
}

void print_external_data_note(const onnx::Model& model, const ModelFlags& flags) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto folder = [&](const std::string& file) {
    return fs::weakly_canonical(fs::absolute(file, ignored), ignored).parent_path();
  };
  if (flags.quiet || flags.output == "-" || flags.model == "-") return;
  if (folder(flags.model) == folder(flags.output)) return;
  std::set<std::string_view> locations;
  for (const onnx::Initializer& initializer : model.initializers())
    if (const auto& external = model.tensor(initializer).external; external)
      locations.insert(external->location);
  for (const std::string_view location : locations)
    std::fputs(base::format("note[{}]: {}: the model's data lies beside the original; copy it beside {}\n",
                            "E001", brief(location), brief(flags.output))
                   .c_str(),
               stderr);
}

std::size_t table_width(const ModelFlags& flags) {
  winsize size{};
  if (flags.width) return *flags.width;
  if (!flags.output.empty() || isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    return 0;
  return size.ws_col;
}

bool colour_on_output(const ModelFlags& flags) {
  const char* no_colour = std::getenv("NO_COLOR");
  return flags.output.empty() && isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace thence::cli
