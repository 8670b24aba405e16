// thence map: prints the module of each node.
#include <memory>

#include "cli/print_map.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Print the PyTorch module that produced each node",
    .details =
        R"(Each row has the module, the evidence that decided, and a calibrated confidence. Without a capture file, the
evidence is what the exporter kept in the file: names, metadata and parameter names. Nodes without evidence are reported
as unknown, with the reason.

The table shows a few columns; --columns chooses others. JSON has every field and follows schema/map.schema.json.)",
    .examples = R"(  thence map model.onnx
      print every node in a table
  thence map model.onnx --format csv --columns name,module,confidence
      print three columns for a spreadsheet
  thence map model.onnx --format json --output model.map.json
      write the complete map, for programs
  thence map model.onnx --capture model.capture.json
      use what was recorded from the live model
  thence map model.onnx --model FOLDER
      use the configuration and the weights of a saved model, without running it
  thence map model.onnx --capture model.capture.json --strategy all
      compare the strategies: how many nodes each answers, and by which evidence
  cat model.onnx | thence map - --format jsonl
      print one JSON object per node)",
    .exit_codes =
        "0 success, 1 --model is another model, 2 wrong usage, 3 the file is not a readable model, 4 "
        "input/output failure",
};

struct MapFlags : ModelFlags {
  MapFormat format;
};

int run_map(MapFlags& flags) {
  if (flags.options.strategy == "all") return compare_strategies(flags, flags.format.name);
  const auto columns =
      columns_of(flags.format, {"name", "op_type", "module", "role", "source", "confidence"});
  if (!columns) return wrong_usage;
  const OpenedMap opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  return write_map(*opened.map, flags, flags.format.name, *columns);
}

}  // namespace

void add_map(Program& program) {
  auto flags = std::make_shared<MapFlags>();
  Command command = program.add("map", Purpose::asking, text);
  add_model_flags(command, *flags);
  add_ignore_tags_flag(command, *flags);
  add_rules_flags(command, *flags);
  add_map_format_flags(command, *flags, flags->format);
  command.set_action([flags] { return run_map(*flags); });
}

}  // namespace thence::cli
