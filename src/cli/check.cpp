// thence check: checks whether tags still match their nodes, and how a pass changed nodes that have ids.
#include "edit/check.h"

#include <memory>

#include "api/check_rows.h"
#include "base/format.h"
#include "cli/command.h"
#include "functions/unfold.h"
#include "output/rows.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Check whether tags still fit, and what a tool loses",
    .details =
        R"(Reports nodes that were edited since they were tagged, modules that the capture does not have, and tags that other
evidence in the file contradicts.

--synthesise writes a unique id into every node. Run any tool on that file; --against then reports how many ids survived,
changed operator, were copied, merged or lost.)",
    .examples = R"(  thence check tagged.onnx
  thence check tagged.onnx --capture model.capture.json --format json
  thence check model.onnx --synthesise -o marked.onnx
      write an id into every node; then run a tool on marked.onnx
  thence check simplified.onnx quantised.onnx --against marked.onnx --format csv
      print one row per file)",
    .exit_codes =
        "0 success, 1 a tag does not fit or there is none, 2 wrong usage, 3 a file is not a readable model, "
        "4 input/output failure",
};

struct CheckFlags : ModelFlags {
  std::vector<std::string> models;
  std::string format = "table", against;
  bool synthesise = false, strict = false;
};

int run_tags(CheckFlags& flags) {
  flags.options.ignore_tags = true;
  const OpenedMap opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const edit::TagReport report = edit::check_tags(*opened.map);
  const output::Rows rows = api::tag_rows(*opened.map, report);
  const int code = write_output(
      flags, [&](base::Writer& out) { output::write_rows(rows, flags.format, table_width(flags), out); });
  if (code != done) return code;
  if (!flags.quiet)
    std::fputs(
        base::format("{} of {} nodes tagged: {} stale, {} of no module, {} contradicted by other evidence\n",
                     report.tagged, report.nodes, report.stale, report.no_module, report.contradicted)
            .c_str(),
        stderr);
  const bool are_current = report.tagged > 0 && report.stale == 0 && report.no_module == 0;
  return are_current && !(flags.strict && report.contradicted > 0) ? done : nothing_found;
}

int run_against(CheckFlags& flags) {
  flags.more_inputs = flags.models;
  flags.more_inputs.push_back(flags.against);
  Diagnostics ignored;
  const Result<onnx::Model> before = functions::open_model(flags.against, ignored);
  if (!before) return fail(before.error());
  output::Rows rows = api::survival_rows(flags.against);
  std::size_t ids = 0;
  for (const std::string& file : flags.models) {
    const Result<onnx::Model> after = functions::open_model(file, ignored);
    if (!after) return fail(after.error());
    const edit::Survival found = edit::count_survivors(*before, *after);
    ids = found.ids;
    api::add_survival(file, found, rows);
  }
  if (ids == 0) return fail(api::no_ids(flags.against));
  return write_output(
      flags, [&](base::Writer& out) { output::write_rows(rows, flags.format, table_width(flags), out); });
}

int run_synthesise(CheckFlags& flags) {
  Diagnostics ignored;
  const Result<onnx::Model> model = functions::open_model(flags.model, ignored);
  if (!model) return fail(model.error());
  const wire::Splice splice = edit::add_ids(*model);
  const int code = write_model_output(flags, [&](base::Writer& out) { splice.write(out); });
  if (code == done) print_flat_note(*model, flags);
  return code;
}

int run_check(CheckFlags& flags) {
  if (!flags.against.empty()) return run_against(flags);
  if (flags.models.size() > 1)
    return fail({ErrorKind::usage, "U012", "several models are given without --against",
                 "give one model, or add --against FILE"});
  flags.model = flags.models.front();
  if (!flags.synthesise) return run_tags(flags);
  if (flags.output.empty()) return fail({ErrorKind::usage, "U011", "no output file given", "add -o FILE"});
  return run_synthesise(flags);
}

}  // namespace

void add_check(Program& program) {
  auto flags = std::make_shared<CheckFlags>();
  Command command = program.add("check", Purpose::checking, text);
  command.texts(
      {.name = "models", .help = "ONNX file; several with --against", .type = "MODEL", .required = true},
      flags->models);
  command.text({.name = "-c,--capture", .help = "Capture file of the tagged model", .type = "FILE"},
               flags->options.capture);
  command.flag({.name = "--strict", .help = "Exit with 1 also if other evidence contradicts a tag"},
               flags->strict);
  command.flag({.name = "--synthesise", .help = "Write the model with an id in every node"},
               flags->synthesise);
  command.text({.name = "--against", .help = "File with ids that the models were made from", .type = "FILE"},
               flags->against);
  add_format_flag(command, *flags, flags->format);
  command.text({.name = "-o,--output", .help = "Write to FILE instead of standard output", .type = "FILE"},
               flags->output);
  command.flag({.name = "-q,--quiet", .help = "Print no messages"}, flags->quiet);
  command.set_action([flags] { return run_check(*flags); });
}

}  // namespace thence::cli
