// thence map: every node and the module it comes from.
#include <memory>

#include "cli/print_map.h"

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
  MapFormat format;
};

int run_map(MapFlags& flags) {
  if (flags.options.strategy == "all") return compare_strategies(flags, flags.format.name);
  const auto columns =
      columns_of(flags.format, {"name", "op_type", "module", "role", "source", "confidence"});
  if (!columns) return wrong_usage;
  const Opened opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  return deliver_map(*opened.map, flags, flags.format.name, *columns);
}

}  // namespace

void add_map(Program& program) {
  auto flags = std::make_shared<MapFlags>();
  Command command = program.add("map", text, examples);
  add_model_flags(command, *flags);
  add_rules_flags(command, *flags);
  add_map_format_flags(command, flags->format);
  command.does([flags] { return run_map(*flags); });
}

}  // namespace thence::cli
