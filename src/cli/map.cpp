// thence map: every node and the module it comes from.
#include <fmt/core.h>

#include <memory>

#include "cli/command.h"
#include "output/formats.h"

namespace thence::cli {
namespace {

constexpr const char* text =
    R"(Says for every node of an ONNX model which PyTorch module it comes from, by which evidence, and how sure that is.

Without a capture file the answer rests on what the file kept: names, metadata, parameter names. Nodes that nothing tells
about are unknown, with a reason; a guess is never dressed as a fact.

The table shows a few columns; --columns chooses others. JSON follows schema/map.schema.json and has every field.)";

constexpr const char* examples = R"(Examples:
  thence map model.onnx
      every node in a table
  thence map model.onnx --format csv --columns name,module,confidence
      three columns for a spreadsheet
  thence map model.onnx --format json --output model.map.json
      the whole answer, for programs
  thence map model.onnx --capture model.capture.json
      with what the live model told
  thence map model.onnx --capture model.capture.json --strategy all
      all strategies side by side: how much each answers, and by what
  cat model.onnx | thence map - --format jsonl
      one node a line

Exit codes: 0 done, 2 wrong usage, 3 the file cannot be read as a model, 4 input/output failure.)";

struct MapFlags : ModelFlags {
  std::string format = "table";
  std::vector<std::string> columns;
};

int run_map(MapFlags& flags) {
  if (flags.options.strategy == "all") return compare_strategies(flags, flags.format);
  const bool csv = flags.format == "csv";
  if (flags.columns.empty()) {
    if (csv)
      for (const output::Column& column : output::all_columns()) flags.columns.emplace_back(column.name);
    else
      flags.columns = {"name", "op_type", "module", "role", "source", "confidence"};
  }
  const Result<std::vector<output::Column>> columns = output::find_columns(flags.columns);
  if (!columns) {
    print_error(columns.error());
    return wrong_usage;
  }
  const Opened opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  const output::Nodes nodes(map.model());
  const int code = deliver(flags, [&](base::Writer& out) {
    if (flags.format == "json")
      output::write_map_json(map, threads(flags), out);
    else if (flags.format == "jsonl")
      output::write_map_jsonl(map, nodes, threads(flags), out);
    else if (csv)
      output::write_map_csv(map, nodes, *columns, out);
    else
      output::write_map_table(map, nodes, *columns, colour_on_output(flags), out);
  });
  if (code == done && !flags.quiet) std::fputs((output::summary_line(map) + "\n").c_str(), stderr);
  return code;
}

}  // namespace

void add_map(Program& program) {
  auto flags = std::make_shared<MapFlags>();
  Command command = program.add("map", text, examples);
  add_model_flags(command, *flags);
  add_rules_flags(command, *flags);
  add_format_flag(command, flags->format);
  std::string columns = "Columns of table and csv:";
  for (const output::Column& column : output::all_columns()) columns += fmt::format(" {}", column.name);
  command.comma_list({.name = "--columns", .help = columns, .type = "NAME,..."}, flags->columns);
  command.does([flags] { return run_map(*flags); });
}

}  // namespace thence::cli
