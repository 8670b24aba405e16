// thence show: the module tree and what each module holds.
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "cli/command.h"
#include "output/formats.h"
#include "output/tree_rows.h"

namespace thence::cli {
namespace {

constexpr const char* text =
    R"(Shows the module tree of an ONNX model: how many nodes each module ran, its own and with everything inside it, its
parameters and their bytes, the work it does, its share of the model, and the part it plays. FLOPs are two for each
multiplication of matrices, convolutions, recurrent networks and attention, as far as shapes are known; sizes that the
model only names stay names.)";

constexpr const char* examples = R"(Examples:
  thence show model.onnx
      the whole tree
  thence show model.onnx --depth 2
      the outermost levels
  thence show model.onnx --order execution
      in the order in which modules first ran
  thence show model.onnx --sort flops --sizes batch=1,seq=128
      the most work first, with numbers for named sizes
  thence show model.onnx --format json
      for programs

Exit codes: 0 done, 2 wrong usage, 3 the file cannot be read as a model, 4 input/output failure.)";

struct ShowFlags : ModelFlags {
  std::string format = "table";
  std::string order = "tree";
  std::string sort = "none";
  std::vector<std::string> sizes;
  output::TreeOptions tree;
};

struct SortWord {
  const char* word;
  output::Measure measure;
};
constexpr SortWord sort_words[] = {
    {"none", output::Measure::none},   {"params", output::Measure::parameters},
    {"bytes", output::Measure::bytes}, {"nodes", output::Measure::nodes},
    {"flops", output::Measure::flops}, {"confidence", output::Measure::confidence},
};

// How wide the terminal is; 0 where the answer goes elsewhere.
std::size_t terminal_width(const ShowFlags& flags) {
  winsize size{};
  if (!flags.output.empty() || isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    return 0;
  return size.ws_col;
}

std::optional<Error> read_sizes(const std::vector<std::string>& given, shapes::NamedSizes& sizes) {
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    std::int64_t size = 0;
    const char* const end = one.data() + one.size();
    const auto parsed = equals == std::string::npos ? std::from_chars_result{end, std::errc::invalid_argument}
                                                    : std::from_chars(one.data() + equals + 1, end, size);
    if (equals == 0 || parsed.ec != std::errc() || parsed.ptr != end || size < 0)
      return Error{ErrorKind::usage, "U015", base::format("--sizes: '{}' is not NAME=SIZE", brief(one)),
                   "write it so, such as batch=1"};
    sizes.insert_or_assign(one.substr(0, equals), size);
  }
  return std::nullopt;
}

int run_show(ShowFlags& flags) {
  if (const auto wrong = read_sizes(flags.sizes, flags.tree.sizes)) {
    print_error(*wrong);
    return wrong_usage;
  }
  const Opened opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  flags.tree.execution_order = flags.order == "execution";
  for (const SortWord& one : sort_words)
    if (flags.sort == one.word) flags.tree.sort = one.measure;
  flags.tree.colour = colour_on_output(flags);
  if (flags.tree.width == 0) flags.tree.width = terminal_width(flags);
  const output::Tree tree = output::make_tree(map, flags.tree);
  const int code = deliver(flags, [&](base::Writer& out) {
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
  Command command = program.add("show", text, examples);
  add_model_flags(command, *flags);
  add_rules_flags(command, *flags);
  add_format_flag(command, flags->format);
  command.number({.name = "-d,--depth", .help = "How many levels below the root", .type = "N"},
                 flags->tree.depth, 0, 64);
  command.text({.name = "--order",
                .help = "tree: as registered; execution: as first run",
                .type = "ORDER",
                .choices = {"tree", "execution"},
                .show_default = true},
               flags->order);
  command.text(
      {.name = "--sort",
       .help =
           "Modules of one parent, the largest first: params, bytes, nodes or flops; confidence: the least "
           "sure first",
       .type = "BY",
       .choices = {"none", "params", "bytes", "nodes", "flops", "confidence"},
       .show_default = true},
      flags->sort);
  command.comma_list({.name = "--sizes",
                      .help = "Numbers for sizes that the model only names, such as batch=1,seq=128",
                      .type = "NAME=SIZE,..."},
                     flags->sizes);
  command.number({.name = "--width",
                  .help = "How wide the table may be; 0: as wide as the terminal, or any in a file or pipe",
                  .type = "N",
                  .show_default = true},
                 flags->tree.width, 0, 10'000);
  command.does([flags] { return run_show(*flags); });
}

}  // namespace thence::cli
