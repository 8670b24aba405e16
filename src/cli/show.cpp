// thence show: prints the module tree and the contents of each module.
#include <charconv>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "cli/command.h"
#include "output/formats.h"
#include "output/tree_options.h"
#include "output/tree_rows.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Print the module tree with nodes, parameters and FLOPs",
    .details =
        R"(For each module: the nodes it ran (its own, and with its submodules), parameters and their bytes, FLOPs, share of
the model, and role. FLOPs count two per multiplication in matrix products, convolutions, recurrent networks and attention,
where shapes are known. Sizes that the model only names stay symbolic; --sizes sets them.)",
    .examples = R"(  thence show model.onnx
      print the whole tree
  thence show model.onnx --depth 2
      print the outermost levels
  thence show model.onnx --order execution
      print modules in the order in which they first ran
  thence show model.onnx --sort flops --sizes batch=1,seq=128
      print the most expensive first, with values for symbolic sizes
  thence show model.onnx --format json
      print JSON, for programs)",
    .exit_codes = "0 success, 2 wrong usage, 3 the file is not a readable model, 4 input/output failure",
};

struct ShowFlags : ModelFlags {
  std::string format = "table";
  std::string order = "tree";
  std::string sort = "none";
  std::vector<std::string> sizes;
  output::TreeOptions tree;
};

std::optional<Error> read_sizes(const std::vector<std::string>& given, shapes::NamedSizes& sizes) {
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    std::int64_t size = 0;
    const char* const end = one.data() + one.size();
    const auto parsed = equals == std::string::npos ? std::from_chars_result{end, std::errc::invalid_argument}
                                                    : std::from_chars(one.data() + equals + 1, end, size);
    if (equals == 0 || parsed.ec != std::errc() || parsed.ptr != end || size < 0)
      return Error{ErrorKind::usage, "U015", base::format("--sizes: '{}' is not NAME=SIZE", brief(one)),
                   "write NAME=SIZE, such as batch=1"};
    sizes.insert_or_assign(one.substr(0, equals), size);
  }
  return std::nullopt;
}

int run_show(ShowFlags& flags) {
  if (const auto wrong = read_sizes(flags.sizes, flags.tree.sizes)) {
    print_error(*wrong);
    return wrong_usage;
  }
  const OpenedMap opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  flags.tree.execution_order = flags.order == "execution";
  flags.tree.sort = output::measure_named(flags.sort).value_or(output::Measure::none);
  flags.tree.colour = colour_on_output(flags);
  flags.tree.width = table_width(flags);
  const output::Tree tree = output::make_tree(map, flags.tree);
  if (const auto wrong = output::find_unknown_size(tree)) {
    print_error(*wrong);
    return wrong_usage;
  }
  const int code = write_output(flags, [&](base::Writer& out) {
    if (flags.format == "json")
      output::write_tree_json(map, tree, out);
    else if (flags.format == "jsonl")
      output::write_tree_jsonl(map, tree, out);
    else if (output::is_csv(flags.format))
      output::write_tree_csv(map, tree, output::formulas_in(flags.format), out);
    else
      output::write_tree_table(map, tree, flags.tree, out);
  });
  if (code == done && !flags.quiet) std::fputs((output::summary_line(map) + "\n").c_str(), stderr);
  return code;
}

}  // namespace

void add_show(Program& program) {
  auto flags = std::make_shared<ShowFlags>();
  Command command = program.add("show", Purpose::asking, text);
  add_model_flags(command, *flags);
  add_rules_flags(command, *flags);
  add_format_flag(command, *flags, flags->format);
  command.number({.name = "-d,--depth", .help = "Number of levels below the root", .type = "N"},
                 flags->tree.depth, 0, 64);
  command.text({.name = "--order",
                .help = "tree: as registered; execution: as first run",
                .type = "ORDER",
                .choices = {"tree", "execution"},
                .show_default = true},
               flags->order);
  command.text(
      {.name = "--sort",
       .help = "Sort the modules of each parent, largest first, by params, bytes, nodes or flops; or by "
               "confidence, lowest first",
       .type = "BY",
       .choices = {"none", "params", "bytes", "nodes", "flops", "confidence"},
       .show_default = true},
      flags->sort);
  command.comma_list({.name = "--sizes",
                      .help = "Values for symbolic sizes, such as batch=1,seq=128",
                      .type = "NAME=SIZE,..."},
                     flags->sizes);
  command.set_action([flags] { return run_show(*flags); });
}

}  // namespace thence::cli
