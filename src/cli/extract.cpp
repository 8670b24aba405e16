// thence extract: writes one module as a separate model.
#include "edit/extract.h"

#include <filesystem>
#include <memory>

#include "base/format.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/python.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Write one module as a separate model",
    .details =
        R"(The result is a complete model: the nodes of the module, its weights, and the constants it needs.

Inputs and outputs are named after the module: layer.0.input, layer.0.output, then layer.0.input_1 and so on; --keep-names keeps
the original names. Values that other modules computed for it (a mask, a size) are inputs. Types and shapes come from the file;
where it has none, Python's onnx infers them.)",
    .examples = R"(  thence extract model.onnx --module encoder.layer.0.attention -o attention.onnx
  thence extract model.onnx --capture model.capture.json --module pooler -o pooler.onnx
  thence extract model.onnx --module layer --call 1 -o second.onnx
      extract the second call of a module that runs several times)",
    .exit_codes =
        "0 success, 1 no such module or it has no nodes in the graph, 2 wrong usage, 3 the file is not a "
        "readable model or a limit was reached, 4 input/output failure",
};

struct ExtractFlags : ModelFlags {
  edit::ExtractOptions what;
  std::string types;
  std::size_t call = no_call;
  PythonLimits limits = default_limits;
  static constexpr std::size_t no_call = 1'000'000'000;
};

// Adds the types that Python infers. Returns the exit code; errors are already printed.
int infer_types(const ExtractFlags& flags, edit::Types& types) {
  PythonLimits limits = flags.limits;
  std::error_code ignored;
  const std::uintmax_t bytes = std::filesystem::file_size(flags.model, ignored);
  limits.allow_for_files(ignored ? 0 : bytes);
  std::string request, answer;
  base::JsonWriter json(request);
  json.begin_object();
  json.member<"model">(flags.model);
  json.end_object();
  const int code = run_python_child("extract", request, limits, [](base::Writer&) {}, &answer);
  if (code != done) return code;
  const std::optional<Error> error = edit::add_types_from_json(answer, "the answer of Python", types);
  return error ? fail(*error) : done;
}

void print_extract_summary(const semantics::Map& map, const edit::Subgraph& part) {
  if (part.calls > 1) std::fputs(base::format("call {} of {}\n", part.call, part.calls).c_str(), stderr);
  if (part.unplaced_nodes > 0)
    std::fputs(
        base::format("{} nodes of the module are left out: their call is unknown\n", part.unplaced_nodes)
            .c_str(),
        stderr);
  std::fputs(base::format("{} of {} nodes, {} initializers, {} inputs, {} outputs\n", part.nodes.size(),
                          map.model().node_count(), part.initializers.size(), part.inputs.size(),
                          part.outputs.size())
                 .c_str(),
             stderr);
}

// Finds the part. Types that the file and the user do not give are inferred in Python.
std::optional<edit::Subgraph> find_typed_subgraph(const ExtractFlags& flags, const semantics::Map& map,
                                                  edit::Types& types, int& exit_code) {
  Result<edit::Subgraph> part = edit::find_subgraph(map, flags.what, types);
  if (part && !part->untyped.empty() && flags.types.empty() && flags.model != "-") {
    exit_code = infer_types(flags, types);
    if (exit_code != done) return std::nullopt;
    part = edit::find_subgraph(map, flags.what, types);
  }
  if (part) return *std::move(part);
  print_error(part.error());
  exit_code = nothing_found;
  return std::nullopt;
}

int run_extract(ExtractFlags& flags) {
  if (flags.output.empty()) {
    print_error({ErrorKind::usage, "U011", "no output file given", "add -o FILE"});
    return wrong_usage;
  }
  if (flags.call != ExtractFlags::no_call) flags.what.call = flags.call;
  const OpenedMap opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  edit::Types types = edit::types_of_model(map.model());
  if (!flags.types.empty())
    if (const std::optional<Error> error = edit::add_types_from_file(flags.types, types)) return fail(*error);
  int code = done;
  const std::optional<edit::Subgraph> part = find_typed_subgraph(flags, map, types, code);
  if (!part) return code;
  for (const std::string& name : part->untyped)
    if (!flags.quiet)
      std::fputs(base::format("warning[{}]: {}: its type could not be found\n", "E007", brief(name)).c_str(),
                 stderr);
  const wire::Splice splice = edit::extract_model(map, *part, types);
  code = write_model_output(flags, [&](base::Writer& out) { splice.write(out); });
  if (code == done && !flags.quiet) print_extract_summary(map, *part);
  return code;
}

}  // namespace

void add_extract(Program& program) {
  auto flags = std::make_shared<ExtractFlags>();
  Command command = program.add("extract", Purpose::editing, text);
  add_model_flags(command, *flags);
  command.section("Extract");
  command.text({.name = "-m,--module",
                .help = "Path of the module, as in 'thence show'",
                .type = "PATH",
                .required = true,
                .modules = true},
               flags->what.module);
  command.number(
      {.name = "--call", .help = "Index of the call, for a module that runs several times", .type = "N"},
      flags->call, 0, 999'999'999);
  command.flag({.name = "--keep-names", .help = "Keep the names of inputs and outputs"},
               flags->what.keep_names);
  command.text({.name = "--types",
                .help = "JSON file with types that the model does not have: {\"name\": {\"elem_type\": 1, "
                        "\"shape\": [1, \"batch\"]}}",
                .type = "FILE"},
               flags->types);
  add_limit_flags(command, flags->limits, "inferring types");
  command.set_action([flags] { return run_extract(*flags); });
}

}  // namespace thence::cli
