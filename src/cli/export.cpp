// thence export and thence capture: read a live PyTorch or Hugging Face model.
#include <memory>

#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/python.h"

namespace thence::cli {
namespace {

constexpr CommandText export_text = {
    .summary = "Export a PyTorch or Hugging Face model to ONNX, with tags",
    .details =
        R"(Writes the module of each node into the ONNX file, and what was recorded from the live model into a capture file
beside it.

MODEL is a hub id, a folder written by save_pretrained, a config.json, or package.module:factory, a function that returns a
module, or a module and its inputs. Without MODEL, a tiny text encoder is created from a configuration. Inputs are derived
from the model's signature and configuration.

Batch size and sequence length are dynamic. If the exporter cannot do that, the sizes are fixed and a warning is printed.)",
    .examples = R"(  thence export
      export a tiny text encoder to model.onnx and model.capture.json
  thence export -m some-user/some-model -o some-model.onnx
      export a model from the hub
  thence export -m ./my-model --exporter torchscript --opset 17
      export a saved folder with PyTorch's older exporter
  thence export -m my_package.models:make_net --input-spec inputs.json
      export any torch.nn.Module
  thence export -m ./my-model --strategy htp
      use the operations recorded while the model ran
  thence export -m ./my-decoder --task text-generation-with-past
      export with the cache of keys and values as inputs and outputs
  thence export -m ./my-translator --split -o translator
      export encoder and decoder as separate files, with one capture)",
    .exit_codes =
        "0 success, 2 wrong usage, 3 the model cannot be loaded or exported, 4 input/output failure",
};

constexpr CommandText capture_text = {
    .summary = "Record the modules and operations of a live model in a file",
    .details =
        R"(The capture file holds the modules, the parameters, and which call ran which operation. With it, 'thence map'
needs no PyTorch, whichever tool exported the model.)",
    .examples = R"(  thence capture -m ./my-model -o my-model.capture.json
      record modules, parameters and the operations of one forward pass
  thence capture -m ./my-model --sections hierarchy
      record modules, parameters and calls only
  thence map other.onnx --capture my-model.capture.json
      use the capture)",
    .exit_codes = "0 success, 2 wrong usage, 3 the model cannot be loaded or run, 4 input/output failure",
};

struct LiveFlags {
  std::string source, model, task, dtype, input_spec, output;
  bool trust_remote_code = false, offline = false, quiet = false, verbose = false;
};
struct ExportFlags : LiveFlags {
  std::string exporter, strategy = "auto", rules, granularity;
  std::size_t opset = 0;
  bool no_embed = false, dynamic = false, fixed_sizes = false, split = false, sidecar = false;
  std::vector<std::string> exceptions;
};
struct CaptureFlags : LiveFlags {
  std::vector<std::string> sections;
};

// The given flags, as one JSON object.
class Request {
 public:
  Request() { json_.begin_object(); }

  void text(std::string_view key, const std::string& value) {
    if (value.empty()) return;
    json_.key(key);
    json_.value(value);
  }
  void flag(std::string_view key, bool value) {
    if (!value) return;
    json_.key(key);
    json_.value(true);
  }
  void number(std::string_view key, std::size_t value) {
    json_.key(key);
    json_.value(value);
  }
  void texts(std::string_view key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    json_.key(key);
    json_.array(values);
  }
  std::string json() const { return text_ + "}"; }

 private:
  std::string text_;
  base::JsonWriter json_{text_};
};

void add_live_flags(Command& command, LiveFlags& flags) {
  command.section("Model");
  command.text(
      {.name = "source", .help = "Hub id, folder, config.json, or package.module:factory", .type = "MODEL"},
      flags.source);
  command.text({.name = "-m,--model", .help = "The same as MODEL", .type = "MODEL"}, flags.model);
  command.text({.name = "--task", .help = "Task of the model, such as text-classification", .type = "TASK"},
               flags.task);
  command.text(
      {.name = "--dtype", .help = "Type of the weights: float32, float16, bfloat16 or auto", .type = "TYPE"},
      flags.dtype);
  command.text({.name = "--input-spec",
                .help = "JSON file with names, shapes, types and dynamic axes of the inputs",
                .type = "FILE"},
               flags.input_spec);
  command.flag({.name = "--trust-remote-code", .help = "Allow code that comes with the model to run"},
               flags.trust_remote_code);
  command.flag({.name = "--offline", .help = "Take a hub id from the cache only; use no network"},
               flags.offline);
  command.section("Output");
  command.flag({.name = "-q,--quiet", .help = "Print no progress and no summary"}, flags.quiet);
  command.flag({.name = "-v,--verbose", .help = "Also print the exporter's messages"}, flags.verbose);
}

void add_live_fields(const LiveFlags& flags, Request& request) {
  request.text("model", flags.source.empty() ? flags.model : flags.source);
  request.text("task", flags.task);
  request.text("dtype", flags.dtype);
  request.text("input_spec", flags.input_spec);
  request.text("output", flags.output);
  request.flag("trust_remote_code", flags.trust_remote_code);
  request.flag("offline", flags.offline);
  request.flag("quiet", flags.quiet);
  request.flag("verbose", flags.verbose);
}

// Wrong usage, which Python need not be started for.
std::optional<Error> check_live_flags(const LiveFlags& flags) {
  if (flags.source.empty() || flags.model.empty()) return std::nullopt;
  return Error{ErrorKind::usage, "U025", "the model is given twice", "give either MODEL or --model MODEL"};
}

std::optional<Error> check_export_flags(const ExportFlags& flags) {
  if (flags.dynamic && flags.fixed_sizes)
    return Error{ErrorKind::usage, "U035", "--dynamic and --static exclude each other",
                 "keep one of them; without both, sizes are dynamic if the exporter can do it"};
  if (flags.split && flags.sidecar)
    return Error{ErrorKind::usage, "U035", "--split and --sidecar exclude each other",
                 "write the map of each file with thence map FILE --format json"};
  return check_live_flags(flags);
}

}  // namespace

void add_export(Program& program) {
  auto flags = std::make_shared<ExportFlags>();
  Command command = program.add("export", Purpose::exporting, export_text);
  add_live_flags(command, *flags);
  command.text({.name = "-o,--output", .help = "File to write (default: model.onnx)", .type = "FILE"},
               flags->output);
  command.section("Export");
  command.text({.name = "--exporter",
                .help = "dynamo, torchscript or transformers (default: the first that succeeds)",
                .type = "NAME",
                .choices = {"dynamo", "torchscript", "transformers"}},
               flags->exporter);
  command.number({.name = "--opset", .help = "ONNX opset to export to", .type = "N"}, flags->opset, 1, 1000);
  command.text(
      {.name = "-s,--strategy",
       .help = "Evidence for the tags, as in 'thence map'; htp and fx_graph add their section to the capture",
       .type = "NAME",
       .choices = {"auto", "enhanced_semantic", "usage_based", "htp", "universal", "fx_graph"},
       .show_default = true},
      flags->strategy);
  command.comma_list(
      {.name = "--torch-nn-exceptions",
       .help = "torch.nn classes that count as modules of the model, instead of norms and Embedding",
       .type = "CLASS,..."},
      flags->exceptions);
  command.text({.name = "--rules", .help = "Rules file for the tags", .type = "FILE"}, flags->rules);
  command.text(
      {.name = "--granularity",
       .help = "Modules of the tags: hf (not from torch.nn, plus the exceptions), nn (all) or custom "
               "(as the rules choose)",
       .type = "NAME",
       .choices = {"hf", "nn", "custom"}},
      flags->granularity);
  command.flag({.name = "--dynamic", .help = "Fail if batch and sequence length cannot be dynamic"},
               flags->dynamic);
  command.flag({.name = "--static", .help = "Export with fixed sizes"}, flags->fixed_sizes);
  command.flag({.name = "--split",
                .help = "Write encoder_model.onnx, decoder_model.onnx and one capture into the folder -o"},
               flags->split);
  command.flag({.name = "--no-embed", .help = "Write no tags into the model"}, flags->no_embed);
  command.flag({.name = "--sidecar", .help = "Also write the map, to model.map.json beside the model"},
               flags->sidecar);
  command.set_action([flags] {
    if (const std::optional<Error> error = check_export_flags(*flags)) return fail(*error);
    Request request;
    add_live_fields(*flags, request);
    request.text("exporter", flags->exporter);
    if (flags->opset > 0) request.number("opset", flags->opset);
    request.text("strategy", flags->strategy);
    request.texts("torch_nn_exceptions", flags->exceptions);
    request.text("rules", flags->rules);
    request.text("granularity", flags->granularity);
    request.flag("dynamic", flags->dynamic);
    request.flag("static", flags->fixed_sizes);
    request.flag("split", flags->split);
    request.flag("no_embed", flags->no_embed);
    request.flag("sidecar", flags->sidecar);
    return run_python_alone("export", request.json());
  });
}

void add_capture(Program& program) {
  auto flags = std::make_shared<CaptureFlags>();
  Command command = program.add("capture", Purpose::exporting, capture_text);
  add_live_flags(command, *flags);
  command.text({.name = "-o,--output", .help = "File to write (default: model.capture.json)", .type = "FILE"},
               flags->output);
  command.comma_list(
      {.name = "--sections",
       .help = "Sections to record: hierarchy, execution_trace, fx_graph (default: the first two)",
       .type = "NAME,...",
       .choices = {"hierarchy", "execution_trace", "fx_graph"}},
      flags->sections);
  command.set_action([flags] {
    if (const std::optional<Error> error = check_live_flags(*flags)) return fail(*error);
    Request request;
    add_live_fields(*flags, request);
    request.texts("sections", flags->sections);
    return run_python_alone("capture", request.json());
  });
}

}  // namespace thence::cli
