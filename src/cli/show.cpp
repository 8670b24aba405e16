// thence show: the module tree and what each module holds.
#include <memory>

#include "cli/command.h"
#include "output/formats.h"

namespace thence::cli {
namespace {

constexpr const char* text =
    R"(Shows the module tree of an ONNX model: how many nodes each module ran, its own and with everything inside it, its
parameters and their bytes, and the part it plays.)";

constexpr const char* examples = R"(Examples:
  thence show model.onnx
      the whole tree
  thence show model.onnx --depth 2
      the outermost levels
  thence show model.onnx --order execution
      in the order in which modules first ran
  thence show model.onnx --format json
      for programs

Exit codes: 0 done, 2 wrong usage, 3 the file cannot be read as a model, 4 input/output failure.)";

struct ShowFlags : ModelFlags {
  std::string format = "table";
  std::string order = "tree";
  output::TreeOptions tree;
};

int run_show(ShowFlags& flags) {
  const Opened opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  flags.tree.execution_order = flags.order == "execution";
  flags.tree.colour = colour_on_output(flags);
  const int code = deliver(flags, [&](base::Writer& out) {
    if (flags.format == "json" || flags.format == "jsonl")
      output::write_tree_json(map, flags.tree, flags.format == "jsonl", out);
    else if (flags.format == "csv")
      output::write_tree_csv(map, flags.tree, out);
    else
      output::write_tree_table(map, flags.tree, out);
  });
  if (code == done && !flags.quiet) std::fputs((output::summary_line(map) + "\n").c_str(), stderr);
  return code;
}

}  // namespace

void add_show(Program& program) {
  auto flags = std::make_shared<ShowFlags>();
  Command command = program.add("show", text, examples);
  add_model_flags(command, *flags);
  add_format_flag(command, flags->format);
  command.number({.name = "-d,--depth", .help = "How many levels below the root", .type = "N"},
                 flags->tree.depth, 0, 64);
  command.text({.name = "--order",
                .help = "tree: as registered; execution: as first run",
                .type = "ORDER",
                .choices = {"tree", "execution"},
                .show_default = true},
               flags->order);
  command.does([flags] { return run_show(*flags); });
}

}  // namespace thence::cli
