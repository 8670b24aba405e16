// thence diff: compares two models module by module.
#include "diff/diff.h"

#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "cli/command.h"
#include "onnx/errors.h"
#include "output/diff_formats.h"
#include "pipeline/pipeline.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Compare two models module by module",
    .details =
        R"(Compares two exports of one model, two versions of it, or a model and its optimised form. Nodes are matched by the
operations they apply to matching values, not by name or order: a second export of the same model, or one with renamed and
reordered nodes, has no difference. Weights are compared by content.

Kinds of difference: added, removed, moved (same operation in another module), fused, split, retyped (another operator between
the same values), rewired (same operator on other values), quantised, weights (other content), precision (same weights in another
element type), renamed (an input or output), shapes, attributes, not_compared (weights whose data cannot be read).)",
    .examples = R"(  thence diff model.onnx optimised.onnx
      print a summary, the modules that differ, and their nodes
  thence diff old.onnx new.onnx --ignore attributes,shapes -q
      exit with 0 if nothing else differs
  thence diff old.onnx new.onnx --stat --depth 3
      print for each module how many nodes differ and by how much its weights changed
  thence diff torchscript.onnx dynamo.onnx --capture model.capture.json --capture-b model.capture.json --format json
      use a capture for both models)",
    .exit_codes =
        "0 no difference, 1 a difference or weights that were not compared, 2 wrong usage, 3 a file is not a "
        "readable model, 4 input/output failure",
};

struct DiffFlags : ModelFlags {
  std::string other, capture_of_other, format = "table";
  std::vector<std::string> ignore;
  bool stat = false;
  std::optional<std::size_t> depth;
};

void print_diff_notes(const DiffFlags& flags, const diff::Report& report) {
  std::string notes;
  if (report.nothing_in_common)
    notes += base::format("note[{}]: {} and {} have nothing in common\n", "D001", brief(flags.model),
                          brief(flags.other));
  if (report.unread_weights > 0)
    notes += base::format("note[{}]: the data of {} weight{} cannot be read: not compared\n", "D002",
                          report.unread_weights, report.unread_weights == 1 ? "" : "s");
  std::fputs(notes.c_str(), stderr);
}

// SARIF has one result per difference, and CSV one line per module.
std::optional<Error> check_stat_flags(const DiffFlags& flags) {
  const auto needs = [&](std::string_view option, std::string_view other, const char* help) {
    return Error{ErrorKind::usage, "U029", base::format("{} needs {}", option, other), help};
  };
  if (flags.depth && !flags.stat) return needs("--depth", "--stat", "add --stat");
  if (!flags.stat && flags.format.starts_with("csv"))
    return needs("--format " + flags.format, "--stat", "add --stat, or use table, json, markdown or sarif");
  if (flags.stat && flags.format == "sarif")
    return needs("--stat", "a format other than sarif", "use table, json, csv, csv-raw or markdown");
  return std::nullopt;
}

// Returns whether all kinds are known.
bool read_ignored(const DiffFlags& flags, std::vector<diff::DiffKind>& ignored) {
  for (const std::string& name : flags.ignore) {
    if (const auto kind = diff::diff_kind_of(name)) {
      ignored.push_back(*kind);
      continue;
    }
    print_error(diff::unknown_kind(name));
    return false;
  }
  return true;
}

void write_comparison(const DiffFlags& flags, const output::Comparison& comparison, base::Writer& out) {
  if (flags.stat)
    output::write_diff_stat(comparison, {flags.format, table_width(flags), flags.depth}, out);
  else if (flags.format == "json")
    output::write_diff_json(comparison, out);
  else if (flags.format == "markdown")
    output::write_diff_markdown(comparison, out);
  else if (flags.format == "sarif")
    output::write_diff_sarif(comparison, out);
  else
    output::write_diff_table(comparison, table_width(flags), out);
}

int run_diff(DiffFlags& flags) {
  std::vector<diff::DiffKind> ignored;
  if (!read_ignored(flags, ignored)) return wrong_usage;
  if (const std::optional<Error> error = check_stat_flags(flags)) return fail(*error);
  flags.more_inputs = {flags.other, flags.capture_of_other};
  const OpenedMap before = open_map(flags);
  if (before.map == nullptr) return before.exit_code;
  semantics::MapOptions options = flags.options;
  options.capture = flags.capture_of_other;
  const OpenedMap after = keep_map(flags, pipeline::map_file(flags.other, options));
  if (after.map == nullptr) return after.exit_code;
  for (const semantics::Map* const map : {before.map, after.map})
    if (const std::optional<Error> error = onnx::invalid_external_data(map->model())) return fail(*error);
  const diff::StatOptions stat{flags.depth};
  const diff::Report report = diff::compare(*before.map, *after.map, ignored, flags.stat ? &stat : nullptr);
  const output::Comparison comparison{*before.map, *after.map, report};
  const int code = write_output(flags, [&](base::Writer& out) { write_comparison(flags, comparison, out); });
  if (code != done) return code;
  if (!flags.quiet) print_diff_notes(flags, report);
  return report.same() ? done : nothing_found;
}

}  // namespace

void add_diff(Program& program) {
  auto flags = std::make_shared<DiffFlags>();
  Command command = program.add("diff", Purpose::comparing, text);
  command.text({.name = "a", .help = "First model; - reads standard input", .type = "A", .required = true},
               flags->model);
  command.text({.name = "b", .help = "Second model", .type = "B", .required = true}, flags->other);
  add_capture_flag(command, *flags);
  command.text({.name = "--capture-b", .help = "Capture file of the second model", .type = "FILE"},
               flags->capture_of_other);
  command.section("Output");
  command.comma_list({.name = "--ignore", .help = "Kinds of difference to ignore", .type = "KIND,..."},
                     flags->ignore);
  command.flag(
      {.name = "--stat",
       .help = "Print one line per module: counts, and the relative norm of the changes of its weights"},
      flags->stat);
  command.number({.name = "--depth",
                  .help = "With --stat: add up modules deeper than N levels; 0: the whole model",
                  .type = "N"},
                 flags->depth, 0, 1000);
  command.text({.name = "-f,--format",
                .help = "table, json, markdown or sarif; with --stat also csv and csv-raw, not sarif",
                .type = "FORMAT",
                .choices = {"table", "json", "markdown", "sarif", "csv", "csv-raw"},
                .show_default = true},
               flags->format);
  add_width_flag(command, *flags);
  command.text({.name = "-o,--output", .help = "Write to FILE instead of standard output", .type = "FILE"},
               flags->output);
  command.flag({.name = "-q,--quiet", .help = "Print no diagnostics"}, flags->quiet);
  command.set_action([flags] { return run_diff(*flags); });
}

}  // namespace thence::cli
