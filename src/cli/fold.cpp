// thence fold: turns modules into functions of the model.
#include "edit/fold.h"

#include <algorithm>
#include <memory>

#include "base/format.h"
#include "cli/command.h"
#include "cli/limits.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Turn modules into nested ONNX functions",
    .details = R"(Any viewer then shows the hierarchy. The model computes the same as before.

Each call of a function represents a module and has its path as name. Functions are named after classes: modules of one class with
the same computation share a function and pass their own weights. Initializers and external data stay where they are.)",
    .examples = R"(  thence fold model.onnx -o folded.onnx
  thence fold model.onnx --capture model.capture.json -o folded.onnx
      use the modules and classes recorded from the live model
  thence fold model.onnx --depth 2 -o folded.onnx
      nest functions at most two deep
  thence fold model.onnx --module 'encoder.layer.?' -o folded.onnx
      fold these modules only)",
    .exit_codes =
        "0 success, 1 no module to fold, 2 wrong usage, 3 the file is not a readable model or its graph is "
        "malformed, 4 input/output failure",
};

struct FoldFlags : ModelFlags {
  edit::FoldOptions how;
  std::size_t depth = 0;
};

// Prints the first few modules of a kind, and the number of others.
void print_module_notes(const char* code, const std::vector<modules::ModuleId>& modules,
                        const semantics::Map& map, const char* what) {
  for (std::size_t i = 0; i < std::min(max_notes, modules.size()); ++i)
    std::fputs(base::format("note[{}]: {}: {}\n", code, brief(map.tree()[modules[i]].path), what).c_str(),
               stderr);
  if (modules.size() > max_notes)
    std::fputs(base::format("note[{}]: and {} more like it\n", code, modules.size() - max_notes).c_str(),
               stderr);
}

void print_fold_summary(const edit::Fold& fold) {
  const edit::FoldSummary summary = edit::summarise_fold(fold);
  print_module_notes("E012", summary.in_pieces, fold.map,
                     "is folded into several functions: it runs several times, or its outputs return to it");
  print_module_notes("E013", summary.unused, fold.map, "is not folded: no node reads its outputs");
  print_module_notes("E014", summary.only_bodies, fold.map,
                     "is not folded: it is in the body of another node");
  std::fputs(
      base::format("{} modules, {} functions; {} nodes in the main graph, of {}\n", summary.modules,
                   fold.bodies.functions.size(), fold.bodies.by_group.front().steps.size(), fold.graph.size())
          .c_str(),
      stderr);
}

int run_fold(FoldFlags& flags) {
  if (flags.output.empty()) {
    print_error({ErrorKind::usage, "U011", "no output file given", "add -o FILE"});
    return wrong_usage;
  }
  flags.how.depth = static_cast<std::uint32_t>(flags.depth);
  const OpenedMap opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const Result<edit::Fold> fold = edit::plan_fold(*opened.map, flags.how);
  if (!fold) {
    print_error(fold.error());
    return fold.error().kind == ErrorKind::usage ? nothing_found : static_cast<int>(fold.error().kind);
  }
  const Result<edit::FoldedModel> folded = edit::fold_model(*fold);
  if (!folded) return fail(folded.error());
  const int code = write_model_output(flags, [&](base::Writer& out) { folded->model.write(out); });
  if (code != done) return code;
  print_external_data_note(opened.map->model(), flags);
  if (!flags.quiet && !folded->is_exact)
    std::fputs(
        base::format("note[{}]: {}: is encoded in an unusual way; unfold restores the model, but not the "
                     "same bytes\n",
                     "E015", brief(flags.model))
            .c_str(),
        stderr);
  if (!flags.quiet) print_fold_summary(*fold);
  return code;
}

}  // namespace

void add_fold(Program& program) {
  auto flags = std::make_shared<FoldFlags>();
  Command command = program.add("fold", Purpose::editing, text);
  add_model_flags(command, *flags);
  command.section("Fold");
  command.number({.name = "--depth",
                  .help = "Nesting depth of functions; 0: as deep as the modules",
                  .type = "N",
                  .show_default = true},
                 flags->depth, 0, 1000);
  command.text({.name = "-m,--module",
                .help = "Fold matching modules only; * and ? match any characters",
                .type = "PATTERN"},
               flags->how.modules);
  command.set_action([flags] { return run_fold(*flags); });
}

}  // namespace thence::cli
