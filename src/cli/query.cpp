// thence query: lists the nodes that selectors choose, or runs SQL.
#include "cli/query.h"

#include <memory>

#include "base/format.h"
#include "base/text.h"
#include "output/formats.h"
#include "output/node_names.h"
#include "query/tool_lists.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Find nodes by module, class, role, operator, expression or SQL",
    .details =
        R"(Different selectors combine with AND; repeating one combines with OR. In globs, * matches within one part of a
dotted path, ** matches any number of parts.

--where takes an expression over the columns of 'thence map': comparisons by =, !=, <, <=, >, >= or ~ (a glob), joined by
and, or, not and parentheses. Text is in quotes; null is an unknown value. Two more columns: under (the module or one
that contains it) and member (any module of a fused node). Negative layers count from the end: layer_id = -1.

--sql runs one SELECT over the tables of 'thence convert --to sqlite': nodes, modules, module_closure, initializers, values,
edges, evidence, metadata. It cannot write, and reads no file but the model.

--as prints a list in the format of another tool. With --sql, the statement must return the id or the name of nodes.

  nodes-to-exclude   JSON for onnxruntime's quantize_dynamic, quantize_static
  nodes-to-quantize  JSON for the same: quantise only these
  node-block-list    JSON for convert_float_to_float16 of onnxruntime and
                     onnxconverter-common
  op-block-list      JSON with the operator types, for the same
  op-name-dict       JSON for the op_name_dict of neural-compressor: keep fp32
  ignored-scope      JSON with the arguments of NNCF's IgnoredScope
  aimet-quantizers   JSON with the tensors whose quantisers AIMET disables
  tensorrt-layers    NAME:PRECISION,... for trtexec --layerPrecisions
  tensorrt-names     JSON with the names of TensorRT's layers
  extract-io         JSON with input_names and output_names for
                     onnx.utils.extract_model)",
    .examples = R"(  thence query model.onnx --module 'encoder.layer.*.attention.self'
      find the nodes that these modules ran themselves
  thence query model.onnx --under encoder.layer.0 --op MatMul --format names
      print the name of every MatMul in the first layer
  thence query model.onnx --role attention --component query --layer 0-3
  thence query model.onnx --class '*Attention' --capture model.capture.json
  thence query model.onnx --parameter '**.query.weight'
      find the nodes that read these parameters
  thence query model.onnx --where "not (role = 'norm' or op_type ~ 'Reduce*') and layer_id >= -2"
      find the nodes of the last two layers that are neither norms nor reductions
  thence query model.onnx --role norm --as nodes-to-exclude > exclude.json
  thence query model.onnx --sql 'SELECT op_type, count(*) AS n FROM nodes GROUP BY 1 ORDER BY n DESC')",
    .exit_codes =
        "0 success, 1 a selector matches nothing, 2 wrong usage or a misspelt name, 3 the file is not a "
        "readable "
        "model or SQL exceeded a limit, 4 input/output failure",
};

// Writes one name per line. A node whose name is ambiguous or not printable is shown by its location.
void write_names(const onnx::Model& model, const std::vector<onnx::NodeId>& nodes, base::Writer& out) {
  const output::NodeNames names(model);
  output::NodeLocations locations(model);
  for (const onnx::NodeId id : nodes) {
    const std::string_view name = names.unique_name(id);
    out.add(!name.empty() && base::is_printable(name) ? name : base::printable(locations.of(id)));
    out.add('\n');
  }
  out.flush();
}

int write_nodes(const QueryFlags& flags, const semantics::Map& map, const std::vector<onnx::NodeId>& chosen,
                const std::vector<output::Column>& columns) {
  const output::Nodes nodes(chosen);
  return write_output(flags, [&](base::Writer& out) {
    if (flags.format == "json")
      output::write_query_json(map, nodes, threads(flags), out);
    else if (flags.format == "jsonl")
      output::write_map_jsonl(map, nodes, threads(flags), out);
    else if (output::is_csv(flags.format))
      output::write_map_csv(map, nodes, columns, output::formulas_in(flags.format), threads(flags), out);
    else if (flags.format == "names")
      write_names(map.model(), chosen, out);
    else
      output::write_map_table(map, nodes, columns, {table_width(flags), colour_on_output(flags)}, out);
  });
}

Result<std::vector<output::Column>> columns_of(QueryFlags& flags) {
  if (flags.columns.empty() && output::is_csv(flags.format)) return output::all_columns();
  if (flags.columns.empty()) flags.columns = {"name", "op_type", "module", "role", "source", "confidence"};
  return output::find_columns(flags.columns);
}

int run_selectors(QueryFlags& flags) {
  const Result<std::vector<output::Column>> columns = columns_of(flags);
  if (!columns) return fail(columns.error());
  const Result<query::Selector> selector = query::Selector::make(flags.selectors);
  if (!selector) return fail(selector.error());
  const OpenedMap opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  const Result<std::vector<onnx::NodeId>> nodes = selector->run(map);
  if (!nodes) return fail_query(nodes.error());
  const int code =
      flags.as.empty() ? write_nodes(flags, map, *nodes, *columns) : write_tool_list(flags, map, *nodes);
  if (code == done) print_node_count(flags, nodes->size(), map);
  return code;
}

int run_query(QueryFlags& flags) {
  flags.selectors.min_confidence = flags.min_confidence;
  if (flags.sql.empty() && flags.selectors.empty())
    return fail({ErrorKind::usage, "U014", "no selector given",
                 "give selectors, such as --module, --role or --op, or --where or --sql"});
  if (!flags.sql.empty() && (!flags.selectors.empty() || !flags.columns.empty()))
    return fail({ErrorKind::usage, "U014", "--sql cannot be combined with selectors, --where or --columns",
                 "express it in SQL, or remove --sql"});
  return flags.sql.empty() ? run_selectors(flags) : run_sql(flags);
}

void add_selectors(Command& command, query::Selectors& wanted, double& min_confidence) {
  command.section("Select nodes");
  command.repeated({.name = "-m,--module",
                    .help = "Nodes that a matching module ran itself",
                    .type = "GLOB",
                    .modules = true},
                   wanted.modules);
  command.repeated({.name = "--under",
                    .help = "Nodes of a matching module and its submodules",
                    .type = "GLOB",
                    .modules = true},
                   wanted.under);
  command.repeated({.name = "--class",
                    .help = "Nodes of modules of a class, bare or qualified, or enclosed by one",
                    .type = "GLOB"},
                   wanted.classes);
  command.repeated(
      {.name = "--op", .help = "Nodes of an operator, such as MatMul or com.microsoft::*", .type = "GLOB"},
      wanted.ops);
  command.repeated({.name = "--role",
                    .help = "Nodes of a role, such as attention, norm, mlp, self_attention",
                    .type = "GLOB"},
                   wanted.roles);
  command.repeated(
      {.name = "--component", .help = "Nodes of a component, such as query, key, output", .type = "GLOB"},
      wanted.components);
  command.repeated_list(
      {.name = "--layer",
       .help = "Index of the outermost repeated block: 2, 0-3, 5-, -1 (the last), or a list",
       .type = "N,..."},
      wanted.layers);
  command.repeated(
      {.name = "--parameter", .help = "Nodes that read a parameter, by state_dict name", .type = "GLOB"},
      wanted.parameters);
  command.real({.name = "--min-confidence", .help = "Nodes with at least this confidence", .type = "X"},
               min_confidence, 0, 1);
  command.repeated({.name = "--source",
                    .help = "Nodes by deciding evidence, such as parameter or neighbours",
                    .type = "NAME"},
                   wanted.sources);
  command.flag({.name = "--unknown", .help = "Nodes without a module"}, wanted.unknown);
  command.flag({.name = "--shared", .help = "Also nodes that a module shares with others (column modules)"},
               wanted.shared);
  command.flag(
      {.name = "--exact", .help = "Match fused nodes by their primary module only, not by every member"},
      wanted.exact);
}

}  // namespace

void add_query(Program& program) {
  auto flags = std::make_shared<QueryFlags>();
  Command command = program.add("query", Purpose::asking, text);
  add_model_flags(command, *flags);
  add_ignore_tags_flag(command, *flags);
  add_rules_flags(command, *flags);
  add_selectors(command, flags->selectors, flags->min_confidence);
  command.text({.name = "--where", .help = "Nodes for which an expression holds, see above", .type = "EXPR"},
               flags->selectors.where);
  command.section("SQL");
  command.text({.name = "--sql", .help = "Run one SELECT over the tables", .type = "SELECT"}, flags->sql);
  command.number({.name = "--timeout",
                  .help = "Time limit for SQL in seconds; 0: none",
                  .type = "SECONDS",
                  .show_default = true},
                 flags->timeout, 0, 1'000'000);
  command.number(
      {.name = "--memory", .help = "Memory limit for SQL in megabytes", .type = "MB", .show_default = true},
      flags->memory, 1, 1'000'000);
  command.section("Output");
  command.text({.name = "-f,--format",
                .help = "table, json, jsonl, csv, csv-raw or names (with SQL: the first column)",
                .type = "FORMAT",
                .choices = {"table", "json", "jsonl", "csv", "csv-raw", "names"},
                .show_default = true},
               flags->format);
  command.comma_list(
      {.name = "--columns", .help = "Columns for table and csv, as in 'thence map'", .type = "NAME,..."},
      flags->columns);
  add_width_flag(command, *flags);
  std::vector<std::string> lists;
  for (const std::string_view name : query::tool_list_names()) lists.emplace_back(name);
  command.text(
      {.name = "--as", .help = "Print a list for another tool, see above", .type = "LIST", .choices = lists},
      flags->as);
  command.text({.name = "--precision",
                .help = "Precision for tensorrt-layers",
                .type = "TYPE",
                .choices = {"fp32", "fp16", "bf16", "int8", "int32"},
                .show_default = true},
               flags->precision);
  command.set_action([flags] { return run_query(*flags); });
}

}  // namespace thence::cli
