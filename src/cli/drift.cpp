// thence drift: where the numbers of two models part, by module. Python runs the models and compares.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/python.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Print where the numbers of two models part, by module",
    .details =
        R"(Runs both models on the same inputs with onnxruntime and compares the tensors that 'thence transfer' matches: a model
with its optimised, float16 or quantised form, or a PyTorch model with its export.

For each module: the signal-to-quantisation-noise ratio (SQNR), cosine, largest and relative error of its outputs, the relative
error that it receives, and the error that it adds if it runs alone on the tensors of REFERENCE. The first module over the
threshold, and the first with NaN or infinity, are named.

REFERENCE is the model that MODEL was made from, or a PyTorch model: a folder written by save_pretrained, or
package.module:factory. --as nodes-to-exclude prints the nodes of the modules whose quantisation costs the most.)",
    .examples = R"(  thence drift model.onnx quantised.onnx
      print the modules with the errors of their outputs
  thence drift model.onnx half.onnx --inputs inputs.npz --by layer
      use these inputs; print one row per layer
  thence drift model.onnx quantised.onnx --top 10
      list the ten modules that add the most error
  thence drift ./my-model model.onnx
      compare an export with the PyTorch model
  thence drift model.onnx quantised.onnx --as nodes-to-exclude --budget 5%
      print nodes to keep in float: at most 5% of the bytes of the weights)",
    .exit_codes =
        "0 success, 1 the models have nothing in common, 2 wrong usage, 3 a file cannot be decoded, a model "
        "cannot be run or a limit was reached, 4 input/output failure",
};

struct DriftFlags {
  static constexpr double no_threshold = 1e9;
  std::string reference, model, inputs, capture, strategy = "auto", by = "module", format = "table", output;
  std::string list, budget;
  double threshold = no_threshold;  // dB
  std::optional<std::size_t> depth, width;
  std::size_t top = 0;
  bool no_isolate = false, trust_remote_code = false, quiet = false;
  PythonLimits limits = default_limits;
};

Error drift_usage(const char* problem, const char* hint) { return {ErrorKind::usage, "U032", problem, hint}; }

std::optional<Error> check_usage_of(const DriftFlags& flags) {
  if (flags.reference == "-" || flags.model == "-")
    return drift_usage("drift runs the models and cannot run standard input",
                       "write the model to a file first");
  if (flags.list.empty() != flags.budget.empty())
    return drift_usage("--as nodes-to-exclude and --budget belong together", "give both, or none of them");
  return std::nullopt;
}

// Only the given flags, because Python has the same defaults.
std::string drift_request(const DriftFlags& flags) {
  std::string request;
  base::JsonWriter json(request);
  const auto text_member = [&](std::string_view key, const std::string& value) {
    if (value.empty()) return;
    json.key(key);
    json.value(value);
  };
  const auto number_member = [&](std::string_view key, const std::optional<std::size_t>& value) {
    if (!value) return;
    json.key(key);
    json.value(*value);
  };
  json.begin_object();
  text_member("reference", flags.reference);
  text_member("model", flags.model);
  text_member("inputs", flags.inputs);
  text_member("capture", flags.capture);
  text_member("strategy", flags.strategy);
  text_member("by", flags.by);
  text_member("format", flags.format);
  text_member("output", flags.output);
  text_member("as", flags.list);
  text_member("budget", flags.budget);
  number_member("depth", flags.depth);
  number_member("width", flags.width);
  if (flags.top > 0) json.member<"top">(flags.top);
  if (flags.threshold != DriftFlags::no_threshold) json.real<"threshold">(flags.threshold, 9);
  if (flags.no_isolate) json.member<"no_isolate">(true);
  if (flags.trust_remote_code) json.member<"trust_remote_code">(true);
  if (flags.quiet) json.member<"quiet">(true);
  json.end_object();
  return request;
}

// The size of a model's file and of the files beside it that may hold its weights.
std::uintmax_t bytes_of_model(const std::string& model) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::uintmax_t bytes = 0;
  const fs::path path = model;
  if (!fs::is_directory(path, failed)) {
    const std::uintmax_t size = fs::file_size(path, failed);
    if (!failed) bytes += size;
    failed.clear();
    const std::uintmax_t beside = fs::file_size(path.string() + ".data", failed);
    return failed ? bytes : bytes + beside;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path, failed))
    if (entry.is_regular_file(failed)) bytes += entry.file_size(failed);
  return bytes;
}

int run_drift(const DriftFlags& flags) {
  if (const std::optional<Error> error = check_usage_of(flags)) return fail(*error);
  PythonLimits allowed = flags.limits;
  allowed.allow_for_files(bytes_of_model(flags.reference) + bytes_of_model(flags.model));
  return run_python_child("drift", drift_request(flags), allowed, [](base::Writer&) {}, nullptr);
}

void add_drift_rows(Command& command, DriftFlags& flags) {
  command.section("Rows");
  command.text({.name = "--by",
                .help = "What rows are: modules as a tree, or one row per layer, class or role",
                .type = "NAME",
                .choices = {"module", "layer", "class", "role"},
                .show_default = true},
               flags.by);
  command.number({.name = "--depth", .help = "Depth of the tree of modules", .type = "N"}, flags.depth, 0,
                 64);
  command.number({.name = "--top", .help = "Only the N rows that add the most error", .type = "N"}, flags.top,
                 1, 1'000'000);
  command.section("List");
  command.text({.name = "--as",
                .help = "Print a list instead: nodes-to-exclude (from quantisation by onnxruntime)",
                .type = "NAME",
                .choices = {"nodes-to-exclude"}},
               flags.list);
  command.text({.name = "--budget",
                .help = "Share of the bytes of the weights that may stay in float, such as 5%",
                .type = "SHARE"},
               flags.budget);
}

}  // namespace

void add_drift(Program& program) {
  auto flags = std::make_shared<DriftFlags>();
  Command command = program.add("drift", Purpose::comparing, text);
  command.text({.name = "reference",
                .help = "ONNX file, or PyTorch model: a folder, or package.module:factory",
                .type = "REFERENCE",
                .required = true},
               flags->reference);
  command.text(
      {.name = "model", .help = "ONNX file that was made from it", .type = "MODEL", .required = true},
      flags->model);
  command.section("Comparison");
  command.text({.name = "--inputs", .help = "Inputs of the models (default: generated)", .type = "FILE.npz"},
               flags->inputs);
  command.text({.name = "-c,--capture", .help = "Capture file of the reference", .type = "FILE"},
               flags->capture);
  command.text({.name = "-s,--strategy",
                .help = "Evidence for the modules of the reference, as in 'thence map'",
                .type = "NAME",
                .choices = {"auto", "enhanced_semantic", "usage_based", "htp", "universal", "fx_graph"},
                .show_default = true},
               flags->strategy);
  command.real({.name = "--threshold",
                .help = "SQNR below which a tensor is over the threshold (default: 80 for float32, 30 for "
                        "float16, 10 for int8, 5 for int4)",
                .type = "DB"},
               flags->threshold, -200, 400);
  command.flag({.name = "--no-isolate", .help = "Do not run modules alone: faster, without 'added'"},
               flags->no_isolate);
  command.flag({.name = "--trust-remote-code", .help = "Allow code that comes with the model to run"},
               flags->trust_remote_code);
  add_limit_flags(command, flags->limits, "running both models");
  add_drift_rows(command, *flags);
  command.section("Output");
  command.text({.name = "-o,--output", .help = "Write to FILE instead of standard output", .type = "FILE"},
               flags->output);
  command.text({.name = "-f,--format",
                .help = "table, json, csv, csv-raw; model-explorer (node data)",
                .type = "FORMAT",
                .choices = {"table", "json", "csv", "csv-raw", "model-explorer"},
                .show_default = true},
               flags->format);
  command.number({.name = "--width", .help = "Width of the table; 0: unlimited", .type = "N"}, flags->width,
                 0, 10'000);
  command.flag({.name = "-q,--quiet", .help = "Print no progress and no summary"}, flags->quiet);
  command.set_action([flags] { return run_drift(*flags); });
}

}  // namespace thence::cli
