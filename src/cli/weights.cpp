// thence weights: prints the state_dict names of initializers.
#include <memory>

#include "base/format.h"
#include "cli/command.h"
#include "output/weights_formats.h"
#include "pipeline/pipeline.h"
#include "weights/trace.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Print the state_dict names of initializers",
    .details =
        R"(For each initializer: the parameters of the PyTorch model that it holds, how they were changed (transposed, cast, split,
concatenated, folded with others, quantised, packed), and the module that owns them. A scale or a zero point holds no parameter;
it is listed with the parameter whose quantised form it belongs to.

With --ancestor, parameters are carried from the model that this one was made from, by the content of the weights. --capture is
then the capture of the ancestor.)",
    .examples = R"(  thence weights model.onnx
      list all initializers
  thence weights model.onnx --capture model.capture.json --format json
      use the names and the content of the live parameters
  thence weights quantised.onnx --ancestor model.onnx
      list the parameters behind the weights of a quantised model)",
    .exit_codes =
        "0 success, 1 the model and the ancestor have nothing in common or --model is another model, 2 wrong "
        "usage, 3 a file is not a readable model, 4 input/output failure",
};

struct WeightsFlags : ModelFlags {
  std::string ancestor;
  std::string format = "table";
};

void print_missing(const semantics::Map& map, const std::vector<std::size_t>& missing) {
  constexpr std::size_t max_printed = 3;
  for (std::size_t i = 0; i < missing.size() && i < max_printed; ++i) {
    const onnx::Initializer& initializer = map.model().initializers()[missing[i]];
    const onnx::TensorView header = map.model().tensor(initializer);
    const std::string place =
        header.external ? base::format("expected in '{}' beside the model", brief(header.external->location))
                        : std::string("the file has no elements of it, or not as many as its shape has");
    std::fputs(base::format("warning[{}]: initializer '{}': its data is missing: {}\n", "P001",
                            brief(header.name), place)
                   .c_str(),
               stderr);
  }
  if (missing.size() > max_printed)
    std::fputs(
        base::format("warning[{}]: and {} more like it\n", "P001", missing.size() - max_printed).c_str(),
        stderr);
  if (!missing.empty())
    std::fputs("  help: put the data file beside the model; without it, names and metadata alone decide\n",
               stderr);
}

int run_weights(WeightsFlags& flags) {
  OpenedMap ancestor;
  OpenedMap opened;
  if (flags.ancestor.empty()) {
    opened = open_map(flags);
  } else {
    flags.more_inputs = {flags.ancestor};
    if (const int code = resolve_options(flags); code != done) return code;
    semantics::MapOptions plain = flags.options;  // rules apply only to the model itself
    plain.rules.clear();
    plain.granularity.reset();
    ancestor = keep_map(flags, pipeline::map_file(flags.ancestor, plain));
    if (ancestor.map == nullptr) return ancestor.exit_code;
    opened = keep_map(flags, pipeline::map_derived(*ancestor.map, flags.model, flags.options));
  }
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  output::WeightsAnswer answer{
      ancestor.map == nullptr ? weights::trace_weights(map) : weights::trace_weights(map, *ancestor.map),
      weights::missing_data(map.model())};
  const int code = write_output(flags, [&](base::Writer& out) {
    if (flags.format == "json")
      output::write_weights_json(map, answer, out);
    else if (flags.format == "jsonl")
      output::write_weights_jsonl(map, answer, out);
    else if (output::is_csv(flags.format))
      output::write_weights_csv(map, answer, output::formulas_in(flags.format), out);
    else
      output::write_weights_table(map, answer, table_width(flags), colour_on_output(flags), out);
  });
  if (code == done && !flags.quiet) {
    print_missing(map, answer.missing_data);
    std::fputs((output::weights_summary(answer) + "\n").c_str(), stderr);
  }
  return code;
}

}  // namespace

void add_weights(Program& program) {
  auto flags = std::make_shared<WeightsFlags>();
  Command command = program.add("weights", Purpose::asking, text);
  add_model_flags(command, *flags);
  command.section("Evidence");
  command.text({.name = "--ancestor", .help = "Model that this one was made from", .type = "FILE"},
               flags->ancestor);
  add_rules_flags(command, *flags);
  add_format_flag(command, *flags, flags->format);
  command.set_action([flags] { return run_weights(*flags); });
}

}  // namespace thence::cli
