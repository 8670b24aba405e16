// thence export and thence capture: from a live PyTorch or Hugging Face model.
#include <memory>

#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/python.h"

namespace thence::cli {
namespace {

constexpr const char* export_text =
    R"(Exports a PyTorch or Hugging Face model to ONNX, with every node's module written into the file, and keeps what the live
model told beside it, in a capture file.

MODEL is a hub id, a folder that save_pretrained wrote, a config.json, or package.module:factory, a function that gives a
module, or a module and its inputs. Without one, a tiny text encoder is made from a configuration. Inputs are derived from the
model's own signature and configuration.)";

constexpr const char* export_examples = R"(Examples:
  thence export
      a tiny text encoder, to model.onnx and model.capture.json
  thence export -m some-user/some-model -o some-model.onnx
      from the hub
  thence export -m ./my-model --exporter torchscript --opset 17
      a saved folder, by PyTorch's older exporter
  thence export -m my_package.models:make_net --input-spec inputs.json
      any torch.nn.Module
  thence export -m ./my-model --strategy htp
      with the operations seen while the model ran

Exit codes: 0 done, 2 wrong usage, 3 the model cannot be loaded or exported, 4 input/output failure.)";

constexpr const char* capture_text =
    R"(Writes down what a live PyTorch or Hugging Face model tells about itself: its modules, its parameters, which call ran which
operation. With that file, 'thence map' needs no PyTorch, whichever tool exported the model.)";

constexpr const char* capture_examples = R"(Examples:
  thence capture -m ./my-model -o my-model.capture.json
      modules, parameters and one forward's operations
  thence capture -m ./my-model --sections hierarchy
      modules, parameters and calls alone
  thence map other.onnx --capture my-model.capture.json
      what the capture is for

Exit codes: 0 done, 2 wrong usage, 3 the model cannot be loaded or run, 4 input/output failure.)";

struct LiveFlags {
  std::string model, task, dtype, input_spec, output;
  bool trust_remote_code = false, quiet = false, verbose = false;
};
struct ExportFlags : LiveFlags {
  std::string exporter, strategy = "auto";
  std::size_t opset = 0;
  bool no_embed = false, dynamic = false;
  std::vector<std::string> exceptions;
};
struct CaptureFlags : LiveFlags {
  std::vector<std::string> sections;
};

// The flags that were given, as one JSON object.
class Request {
 public:
  Request() { json_.begin_object(); }

  void text(std::string_view key, const std::string& value) {
    if (value.empty()) return;
    json_.key(key);
    json_.value(value);
  }
  void yes(std::string_view key, bool value) {
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
  command.text({.name = "-m,--model",
                .help = "A hub id, a folder, a config.json, or package.module:factory",
                .type = "MODEL"},
               flags.model);
  command.text(
      {.name = "--task", .help = "What the model is for, such as text-classification", .type = "TASK"},
      flags.task);
  command.text({.name = "--dtype",
                .help = "The type of the weights: float32, float16, bfloat16 or auto",
                .type = "TYPE"},
               flags.dtype);
  command.text({.name = "--input-spec",
                .help = "A JSON file with the inputs' names, shapes, types and dynamic axes",
                .type = "FILE"},
               flags.input_spec);
  command.yes({.name = "--trust-remote-code", .help = "Run code that comes with the model's files"},
              flags.trust_remote_code);
  command.yes({.name = "-q,--quiet", .help = "Print no progress and no summary"}, flags.quiet);
  command.yes({.name = "-v,--verbose", .help = "Print the exporter's own words, too"}, flags.verbose);
}

void put_live_flags(const LiveFlags& flags, Request& request) {
  request.text("model", flags.model);
  request.text("task", flags.task);
  request.text("dtype", flags.dtype);
  request.text("input_spec", flags.input_spec);
  request.text("output", flags.output);
  request.yes("trust_remote_code", flags.trust_remote_code);
  request.yes("quiet", flags.quiet);
  request.yes("verbose", flags.verbose);
}

}  // namespace

void add_export(Program& program) {
  auto flags = std::make_shared<ExportFlags>();
  Command command = program.add("export", export_text, export_examples);
  add_live_flags(command, *flags);
  command.text(
      {.name = "-o,--output", .help = "The file to write; model.onnx when it is not said", .type = "FILE"},
      flags->output);
  command.text(
      {.name = "--exporter",
       .help = "dynamo, torchscript or transformers; when it is not said, the first of them that succeeds",
       .type = "NAME",
       .choices = {"dynamo", "torchscript", "transformers"}},
      flags->exporter);
  command.number({.name = "--opset", .help = "The opset to export to", .type = "N"}, flags->opset, 1, 1000);
  command.text(
      {.name = "-s,--strategy",
       .help =
           "Which evidence the tags rest on; see 'thence map'. htp and fx_graph add what they need to the "
           "capture",
       .type = "NAME",
       .choices = {"auto", "enhanced_semantic", "usage_based", "htp", "universal", "fx_graph"},
       .show_default = true},
      flags->strategy);
  command.comma_list(
      {.name = "--torch-nn-exceptions",
       .help = "torch.nn classes that count as modules of their own, instead of the norms and Embedding",
       .type = "CLASS,..."},
      flags->exceptions);
  command.yes({.name = "--dynamic", .help = "Leave batch and sequence length open"}, flags->dynamic);
  command.yes({.name = "--no-embed", .help = "Write no tags into the model"}, flags->no_embed);
  command.does([flags] {
    Request request;
    put_live_flags(*flags, request);
    request.text("exporter", flags->exporter);
    if (flags->opset > 0) request.number("opset", flags->opset);
    request.text("strategy", flags->strategy);
    request.texts("torch_nn_exceptions", flags->exceptions);
    request.yes("dynamic", flags->dynamic);
    request.yes("no_embed", flags->no_embed);
    return run_python("export", request.json());
  });
}

void add_capture(Program& program) {
  auto flags = std::make_shared<CaptureFlags>();
  Command command = program.add("capture", capture_text, capture_examples);
  add_live_flags(command, *flags);
  command.text({.name = "-o,--output",
                .help = "The file to write; model.capture.json when it is not said",
                .type = "FILE"},
               flags->output);
  command.comma_list(
      {.name = "--sections",
       .help = "What to capture: hierarchy, execution_trace, fx_graph; the first two when it is not said",
       .type = "NAME,...",
       .choices = {"hierarchy", "execution_trace", "fx_graph"}},
      flags->sections);
  command.does([flags] {
    Request request;
    put_live_flags(*flags, request);
    request.texts("sections", flags->sections);
    return run_python("capture", request.json());
  });
}

}  // namespace thence::cli
