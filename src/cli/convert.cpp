// thence convert: writes the map in the formats of other programs.

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/atomic_file.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/python.h"
#include "output/formats.h"
#include "output/other_formats.h"
#include "output/text_formats.h"
#include "query/tables.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Write a map as GraphML, SQLite, CSV, SARIF and other formats",
    .details = R"(Formats:

  graphml         yEd, networkx: modules as groups, edges named by tensors
  model-explorer  Model Explorer; --overlay writes node data that colours nodes
                  by confidence
  dot             Graphviz: one cluster per module
  csv             every column of 'thence map', for spreadsheets; text that
                  begins with = + - or @ gets an apostrophe in front, so that
                  it is not computed
  csv-raw         the same without apostrophes
  parquet         the same for data frames; needs Python with pyarrow
  sqlite          tables of nodes, modules, initializers, edges, values and
                  evidence
  sarif           unknown and low-confidence nodes, for code hosts and editors
  torch-map       JSON: node to module, module to nodes, initializer to
                  state_dict name
  htp-metadata    JSON in the layout of the sidecar files of earlier tools)",
    .examples = R"(  thence convert model.onnx --to graphml -o model.graphml
      write GraphML for yEd or networkx.read_graphml
  thence convert model.onnx --to model-explorer -o model.json --overlay confidence.json
      open model.json in Model Explorer, then add confidence.json as node data
  thence convert model.onnx --to sqlite -o model.db
      then: sqlite3 model.db 'SELECT op_type, count(*) FROM nodes GROUP BY 1'
  thence convert model.onnx --to sarif -o model.sarif
      write one result per unknown or low-confidence node)",
    .exit_codes =
        "0 success, 2 wrong usage, 3 the file is not a readable model or a package is missing, 4 "
        "input/output failure",
};

struct ConvertFlags : ModelFlags {
  std::string format, overlay;
};

// Python prints its own errors.
int write_parquet(const semantics::Map& map, const ConvertFlags& flags) {
  int code = done;
  const std::optional<Error> error = base::make_atomically(flags.output, [&](const std::string& temporary) {
    std::string request;
    base::JsonWriter json(request);
    json.begin_object();
    json.member<"output">(temporary);
    json.end_object();
    code = run_python_child("convert", request, PythonLimits{},
                            [&](base::Writer& out) { output::write_map_records(map, threads(flags), out); });
    return code == done ? std::nullopt : std::optional(Error{});
  });
  return code == done && error ? fail(*error) : code;
}

int write_sqlite(const semantics::Map& map, const ConvertFlags& flags) {
  const std::optional<Error> error = query::write_database(map, flags.output);
  return error ? fail(*error) : done;
}

// A format is either text, which any output accepts, or requires a file.
struct FileFormat {
  std::string_view name;
  int (*write)(const semantics::Map& map, const ConvertFlags& flags);
};
constexpr FileFormat file_formats[] = {{"parquet", write_parquet}, {"sqlite", write_sqlite}};

const FileFormat* find_file_format(std::string_view name) {
  for (const FileFormat& format : file_formats)
    if (format.name == name) return &format;
  return nullptr;
}

std::optional<Error> check_usage(const ConvertFlags& flags, bool needs_file) {
  if (needs_file && (flags.output.empty() || flags.output == "-"))
    return Error{ErrorKind::usage, "U011",
                 base::format("--to {} writes a file, and no output file is given", flags.format),
                 "add -o FILE"};
  if (!flags.overlay.empty() && flags.format != "model-explorer")
    return Error{ErrorKind::usage, "U013",
                 base::format("--overlay is for model-explorer, not {}", flags.format),
                 "remove --overlay, or use --to model-explorer"};
  if (!flags.overlay.empty() && flags.overlay == flags.output)
    return Error{ErrorKind::usage, "U011",
                 base::format("{} is given for both the graph and the overlay", brief(flags.output)),
                 "give two different files"};
  for (const std::string& output : {flags.output, flags.overlay})
    if (std::optional<Error> error = check_not_input(flags, output)) return error;
  return std::nullopt;
}

int run_convert(ConvertFlags& flags) {
  const FileFormat* const file = find_file_format(flags.format);
  if (const std::optional<Error> error = check_usage(flags, file != nullptr)) return fail(*error);
  const OpenedMap opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  const FileBeside overlay = {flags.overlay,
                              [&](base::Writer& out) { output::write_confidence_overlay(map, out); }};
  const int code =
      file != nullptr
          ? file->write(map, flags)
          : write_output(
                flags, [&](base::Writer& out) { output::find_text_format(flags.format)->write(map, out); },
                flags.overlay.empty() ? nullptr : &overlay);
  if (code == done && !flags.quiet) std::fputs((output::summary_line(map) + "\n").c_str(), stderr);
  return code;
}

}  // namespace

void add_convert(Program& program) {
  auto flags = std::make_shared<ConvertFlags>();
  Command command = program.add("convert", Purpose::asking, text);
  add_model_flags(command, *flags);
  add_rules_flags(command, *flags);
  std::vector<std::string> names;
  for (const output::TextFormat& format : output::text_formats()) names.emplace_back(format.name);
  for (const FileFormat& format : file_formats) names.emplace_back(format.name);
  command.section("Output");
  command.text({.name = "-t,--to",
                .help = "Format to write, see above",
                .type = "FORMAT",
                .required = true,
                .choices = names},
               flags->format);
  command.text({.name = "--overlay",
                .help = "With model-explorer: also write the confidence of nodes to FILE",
                .type = "FILE"},
               flags->overlay);
  command.set_action([flags] { return run_convert(*flags); });
}

}  // namespace thence::cli
