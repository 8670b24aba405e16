// thence transfer: transfers a map from a model to a model derived from it.
#include <algorithm>
#include <memory>

#include "base/atomic_file.h"
#include "cli/print_map.h"
#include "cli/verify.h"
#include "pipeline/pipeline.h"
#include "weights/traced_chain.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Carry a map from a model to its optimised or quantised form",
    .details =
        R"(Maps the first model (the ancestor) as 'thence map' does, then matches the nodes of the next model with it: by the
operations on matching values, and by weights in any form. A node that is proven to compute the same gets the same module, and
the row names the proof. For other nodes the file's own names, metadata and tags decide; nodes without evidence are unknown.
With more than two models, each is the ancestor of the next.

--verify runs both models on the same generated inputs with onnxruntime and compares matched tensors. Matches that the numbers
refute become unknown; the counts are printed.

-o writes the last model with tags, as 'thence tag' does, and its map to FILE.map.json.)",
    .examples = R"(  thence transfer model.onnx optimised.onnx
      print every node of the optimised model
  thence transfer model.onnx optimised.onnx --capture model.capture.json -o tagged.onnx
      use a capture; write tagged.onnx and tagged.onnx.map.json
  thence transfer model.onnx optimised.onnx quantised.onnx --format json
      go through two steps; print the complete map
  thence transfer model.onnx optimised.onnx --verify
      check the matches by running both models)",
    .exit_codes =
        "0 success, 1 the models have nothing in common, 2 wrong usage, 3 a file is not a readable model or "
        "a limit was reached, 4 input/output failure",
};

struct TransferFlags : ModelFlags {
  std::vector<std::string> models;
  MapFormat format;
  bool verify = false;
  PythonLimits limits = default_limits;
};

// The map of the last model so far, and its weights, which only JSON lists.
struct TransferredMap {
  OpenedMap opened;
  bool lists_weights = false;
  weights::TracedChain weights{};

  void begin(OpenedMap first) {
    opened = first;
    if (opened.map != nullptr && lists_weights) weights.begin(*opened.map);
  }
  // To the map of the model that was made from this one.
  void advance(OpenedMap next) {
    if (next.map != nullptr && lists_weights) weights.advance(*opened.map, *next.map);
    opened = next;
  }
};

// Writes the tagged model, and its map beside it.
int write_model_and_map(const TransferredMap& found, TransferFlags& flags) {
  const semantics::Map& map = *found.opened.map;
  const FileBeside map_file = {
      flags.output + ".map.json",
      [&](base::Writer& out) { output::write_map_json(map, threads(flags), out, &found.weights.named); },
      true};
  flags.model = flags.models.back();
  edit::TagOptions options;
  options.weights = {found.weights.live_parameters, found.weights.named};
  // There is no place for a second file beside a pipe or a device.
  const bool has_place = !base::is_pipe_or_device(flags.output);
  const int code = write_tagged_model(map, flags, std::move(options), has_place ? &map_file : nullptr);
  if (code == done && has_place && !flags.quiet)
    std::fputs((output::summary_line(map) + "\n").c_str(), stderr);
  return code;
}

std::optional<Error> check_usage(const TransferFlags& flags) {
  if (flags.models.size() < 2)
    return Error{ErrorKind::usage, "U022",
                 "transfer needs two models: the ancestor and the model made from it",
                 "thence transfer ANCESTOR.onnx DESCENDANT.onnx"};
  if (flags.output == "-")
    return Error{ErrorKind::usage, "U022",
                 "the model cannot be written to standard output, because its map is written beside it",
                 "give a file with -o FILE"};
  if (flags.verify && std::find(flags.models.begin(), flags.models.end(), "-") != flags.models.end())
    return Error{ErrorKind::usage, "U024", "--verify runs the models and cannot run standard input",
                 "write the model to a file first"};
  return std::nullopt;
}

int run_transfer(TransferFlags& flags) {
  if (const std::optional<Error> error = check_usage(flags)) {
    print_error(*error);
    return wrong_usage;
  }
  const auto columns = columns_of(flags.format, {"name", "op_type", "module", "role", "proof", "confidence"});
  if (!columns) return wrong_usage;
  if (const int code = resolve_options(flags); code != done) return code;
  flags.more_inputs = flags.models;
  if (!flags.output.empty()) flags.more_inputs.pop_back();  // the tagged model may replace it
  semantics::MapOptions plain = flags.options;              // rules apply only to the last model
  plain.rules.clear();
  plain.granularity.reset();
  int python_code = done;
  const transfer::Verifier verify =
      flags.verify ? verifier(flags, flags.limits, python_code) : transfer::Verifier();
  TransferredMap found;
  found.lists_weights = !flags.output.empty() || flags.format.name == "json";
  found.begin(keep_map(flags, pipeline::map_file(flags.models.front(), plain)));
  for (std::size_t i = 1; i < flags.models.size() && found.opened.map != nullptr; ++i) {
    const bool last = i + 1 == flags.models.size();
    Result<semantics::Map> map =
        pipeline::map_derived(*found.opened.map, flags.models[i], last ? flags.options : plain, verify);
    if (python_code != done) return python_code;
    found.advance(keep_map(flags, std::move(map)));
  }
  const OpenedMap& opened = found.opened;
  if (opened.map == nullptr) return opened.exit_code;
  const int code = flags.output.empty()
                       ? write_map(*opened.map, flags, flags.format.name, *columns, &found.weights.named)
                       : write_model_and_map(found, flags);
  if (code == done && !flags.quiet) print_verification(*opened.map);
  return code;
}

}  // namespace

void add_transfer(Program& program) {
  auto flags = std::make_shared<TransferFlags>();
  Command command = program.add("transfer", Purpose::comparing, text);
  command.texts(
      {.name = "models",
       .help = "The ancestor, then the model made from it; with more, each made from the one before",
       .type = "MODEL",
       .required = true},
      flags->models);
  add_answer_flags(command, *flags, "Write the last model with tags to FILE, and its map to FILE.map.json");
  add_rules_flags(command, *flags);
  add_map_format_flags(command, *flags, flags->format);
  command.section("Verification");
  command.flag({.name = "--verify",
                .help = "Run both models on the same inputs and compare; needs Python with onnxruntime"},
               flags->verify);
  add_limit_flags(command, flags->limits, "running two models");
  command.set_action([flags] { return run_transfer(*flags); });
}

}  // namespace thence::cli
