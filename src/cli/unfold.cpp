// thence unfold: turns functions back into nodes.
#include "functions/unfold.h"

#include <algorithm>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/limits.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Turn the functions of a model back into nodes",
    .details =
        R"(What 'thence fold' wrote becomes the model that was folded, byte by byte: names, order, metadata and value infos are kept
in the folded file. Functions that the model had before stay.

In any other model, each call of a function becomes the nodes of the function. Their names begin with the name of the call, and
they inherit its metadata. The model computes the same as before.)",
    .examples = R"(  thence unfold folded.onnx -o model.onnx
      restore the model that was folded
  thence unfold exported.onnx -o flat.onnx
      expand the functions that an exporter wrote)",
    .exit_codes =
        "0 success, 1 the model has no functions, 2 wrong usage, 3 the file is not a readable model, or its "
        "functions cannot be expanded, 4 input/output failure",
};

void print_unfold_notes(const functions::Unfolded& unfolded, const onnx::Model& model) {
  const std::vector<std::string>& kept = unfolded.kept;
  for (std::size_t i = 0; i < std::min(max_notes, kept.size()); ++i)
    std::fputs(
        base::format("note[{}]: {}: is not expanded: it uses another version of the operators than the "
                     "model\n",
                     "E016", brief(kept[i]))
            .c_str(),
        stderr);
  if (kept.size() > max_notes)
    std::fputs(base::format("note[{}]: and {} more like it\n", "E016", kept.size() - max_notes).c_str(),
               stderr);
  if (!unfolded.is_restored && functions::is_folded(model))
    std::fputs(
        base::format("note[{}]: {}: was changed after folding; nodes in functions that several modules "
                     "share get new names\n",
                     "E017", brief(model.file()))
            .c_str(),
        stderr);
}

int run_unfold(ModelFlags& flags) {
  if (flags.output.empty()) {
    print_error({ErrorKind::usage, "U011", "no output file given", "add -o FILE"});
    return wrong_usage;
  }
  Diagnostics ignored;
  const Result<onnx::Model> model = onnx::Model::open(flags.model, ignored);
  if (!model) return fail(model.error());
  if (!functions::has_functions(*model)) {
    print_error({ErrorKind::usage, "E018", base::format("{}: has no functions", brief(model->file())),
                 "the model is flat already"});
    return nothing_found;
  }
  const Result<functions::Unfolded> unfolded = functions::unfold_model(*model, ignored);
  if (!unfolded) return fail(unfolded.error());
  const int code = write_model_output(flags, [&](base::Writer& out) { unfolded->model.write(out); });
  if (code != done) return code;
  print_external_data_note(*model, flags);
  if (flags.quiet) return code;
  print_unfold_notes(*unfolded, *model);
  std::fputs(unfolded->is_restored ? "the model that was folded is restored\n" : "functions are expanded\n",
             stderr);
  return code;
}

}  // namespace

void add_unfold(Program& program) {
  auto flags = std::make_shared<ModelFlags>();
  Command command = program.add("unfold", Purpose::editing, text);
  command.text(
      {.name = "model", .help = "ONNX file; - reads standard input", .type = "MODEL", .required = true},
      flags->model);
  command.section("Output");
  command.text({.name = "-o,--output", .help = "Write to FILE; - is standard output", .type = "FILE"},
               flags->output);
  command.flag({.name = "-q,--quiet", .help = "Print no messages"}, flags->quiet);
  command.set_action([flags] { return run_unfold(*flags); });
}

}  // namespace thence::cli
