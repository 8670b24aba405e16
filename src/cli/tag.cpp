// thence tag, thence strip: write answers into the model, and remove them.
#include "edit/tag.h"

#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "cli/command.h"
#include "edit/rewrite.h"
#include "functions/unfold.h"

namespace thence::cli {
namespace {

constexpr CommandText tag_text = {
    .summary = "Write each node's module into the model file",
    .details =
        R"(Writes the module, class, tag, role, confidence and source into the metadata_props of each node, under keys that begin
with pkg.thence. Tools that keep node properties keep them. Every other byte of the file stays the same, and external data
stays where it is. Tags from an earlier run are replaced. Unknown nodes get no tag.)",
    .examples = R"(  thence tag model.onnx -o tagged.onnx
      write a tagged copy
  thence tag model.onnx --capture model.capture.json --in-place
      tag the file itself, using what was recorded from the live model
  thence tag model.onnx --namespace -o tagged.onnx
      also write the property that Model Explorer shows as a hierarchy
  thence tag model.onnx --strip-stack-traces -o tagged.onnx
      remove the exporter's stack traces, which reveal user names and paths)",
    .exit_codes = "0 success, 2 wrong usage, 3 the file is not a readable model, 4 input/output failure",
};

constexpr CommandText strip_text = {
    .summary = "Remove everything thence wrote from a model file",
    .details = "The result is byte-identical to the file before it was tagged.",
    .examples = R"(  thence strip tagged.onnx -o model.onnx
      write a copy without tags
  thence strip model.onnx --in-place
      remove the tags from the file itself)",
    .exit_codes = "0 success, 2 wrong usage, 3 the file is not a readable model, 4 input/output failure",
};

void add_in_place_flag(Command& command, bool& in_place) {
  command.section("Output");
  command.flag({.name = "--in-place", .help = "Replace the file itself"}, in_place);
}

// Sets the output. If it is missing or given twice, prints an error and returns false.
bool resolve_output(ModelFlags& flags, bool in_place) {
  if (in_place == !flags.output.empty()) {
    print_error({ErrorKind::usage, "U011", "no output given, or two", "give either -o FILE or --in-place"});
    return false;
  }
  if (in_place && flags.model == "-") {
    print_error({ErrorKind::usage, "U011", "standard input cannot be replaced", "give -o FILE"});
    return false;
  }
  if (in_place) flags.output = flags.model;
  return true;
}

// The folded form of a file is not given up without being asked for.
std::optional<Error> check_in_place(const onnx::Model& model, bool in_place) {
  if (!in_place || !model.is_derived()) return std::nullopt;
  return Error{ErrorKind::usage, "U028",
               base::format("{}: is folded, and would be replaced by the flat model", brief(model.file())),
               "give -o FILE, and fold that file again"};
}

struct TagFlags : ModelFlags {
  bool in_place = false, with_namespace = false, strip_stack_traces = false;
};

int run_tag(TagFlags& flags) {
  if (!resolve_output(flags, flags.in_place)) return wrong_usage;
  const OpenedMap opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  if (const auto error = check_in_place(opened.map->model(), flags.in_place)) return fail(*error);
  return write_tagged_model(
      *opened.map, flags,
      {.with_namespace = flags.with_namespace, .strip_stack_traces = flags.strip_stack_traces});
}

struct StripFlags : ModelFlags {
  bool in_place = false;
};

int run_strip(StripFlags& flags) {
  if (!resolve_output(flags, flags.in_place)) return wrong_usage;
  Diagnostics diagnostics;
  const Result<onnx::Model> model = functions::open_model(flags.model, diagnostics);
  if (!model) return fail(model.error());
  if (const auto error = check_in_place(*model, flags.in_place)) return fail(*error);
  const bool any = edit::has_entries(*model);
  const wire::Splice splice = edit::remove_entries(*model);
  const int code = write_model_output(flags, [&](base::Writer& out) { splice.write(out); });
  if (code != done) return code;
  print_external_data_note(*model, flags);
  print_flat_note(*model, flags);
  if (!flags.quiet && !any) std::fputs("the file had no tags\n", stderr);
  return code;
}

}  // namespace

int write_tagged_model(const semantics::Map& map, const ModelFlags& flags, edit::TagOptions options,
                       const FileBeside* beside) {
  options.jobs = threads(flags);
  const Result<edit::TagOptions> complete =
      edit::complete_tag_options(std::move(options), map, flags.options.capture);
  if (!complete) return fail(complete.error());
  const wire::Splice splice = edit::tag_model(map, *complete);
  const int code = write_model_output(flags, [&](base::Writer& out) { splice.write(out); }, beside);
  if (code != done) return code;
  print_external_data_note(map.model(), flags);
  print_flat_note(map.model(), flags);
  if (flags.quiet) return code;
  std::size_t tags = 0;
  for (onnx::NodeId id = 0; id < map.model().node_count(); ++id) tags += map.answer(id).known();
  std::fputs(base::format("{} of {} nodes tagged\n", tags, map.model().node_count()).c_str(), stderr);
  return code;
}

void add_tag(Program& program) {
  auto flags = std::make_shared<TagFlags>();
  Command command = program.add("tag", Purpose::editing, tag_text);
  add_model_flags(command, *flags);
  add_rules_flags(command, *flags);
  add_in_place_flag(command, flags->in_place);
  command.flag({.name = "--namespace",
                .help = "Also write the property namespace, as PyTorch does, where a node has none"},
               flags->with_namespace);
  command.flag(
      {.name = "--strip-stack-traces",
       .help = "Remove stack traces of the exporter (paths and lines of code); strip does not restore them"},
      flags->strip_stack_traces);
  command.set_action([flags] { return run_tag(*flags); });
}

void add_strip(Program& program) {
  auto flags = std::make_shared<StripFlags>();
  Command command = program.add("strip", Purpose::editing, strip_text);
  command.text(
      {.name = "model", .help = "ONNX file; - reads standard input", .type = "MODEL", .required = true},
      flags->model);
  command.section("Output");
  command.text({.name = "-o,--output", .help = "Write to FILE; - is standard output", .type = "FILE"},
               flags->output);
  add_in_place_flag(command, flags->in_place);
  command.flag({.name = "-q,--quiet", .help = "Print no messages"}, flags->quiet);
  command.set_action([flags] { return run_strip(*flags); });
}

}  // namespace thence::cli
