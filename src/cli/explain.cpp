// thence explain: explains the answer for a node.

#include <memory>

#include "cli/command.h"
#include "output/formats.h"
#include "query/find_node.h"

namespace thence::cli {
namespace {

constexpr CommandText text = {
    .summary = "Print the evidence for a node's module, and its alternatives",
    .details =
        R"(Prints all evidence for and against the module, the rule that decided, the node's inputs and outputs, shapes, FLOPs,
and the source lines if the exporter kept stack traces.

NODE is a name, or GRAPH#INDEX: '#61' is node 61 of the main graph, '12.then_branch#0' the first node of a branch. If several
nodes have the name, all are explained.)",
    .examples = R"(  thence explain model.onnx /encoder/layer.0/attention/self/query/MatMul
  thence explain model.onnx node_MatMul_45 '#61'
  thence explain model.onnx '#0' --format json)",
    .exit_codes =
        "0 success, 1 no such node, 2 wrong usage, 3 the file is not a readable model, 4 input/output "
        "failure",
};

struct ExplainFlags : ModelFlags {
  std::string format = "table";
  std::vector<std::string> nodes;
};

int run_explain(ExplainFlags& flags) {
  const OpenedMap opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  std::vector<onnx::NodeId> nodes;
  for (const std::string& wanted : flags.nodes) {
    const Result<std::vector<onnx::NodeId>> found = query::find_node(map.model(), wanted);
    if (!found) {
      print_error(found.error());
      return nothing_found;
    }
    nodes.insert(nodes.end(), found->begin(), found->end());
  }
  const shapes::InferredShapes inferred = shapes::infer(map.model());
  const dataflow::Uses uses(map.model());
  return write_output(flags, [&](base::Writer& out) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (flags.format == "json")
        output::write_explanation_json(map, inferred, uses, nodes[i], out);
      else {
        if (i > 0) out.add("\n");
        output::write_explanation(map, inferred, uses, nodes[i], colour_on_output(flags), out);
      }
    }
  });
}

}  // namespace

void add_explain(Program& program) {
  auto flags = std::make_shared<ExplainFlags>();
  Command command = program.add("explain", Purpose::asking, text);
  add_model_flags(command, *flags);
  add_rules_flags(command, *flags);
  command.texts({.name = "node", .help = "Node name, or GRAPH#INDEX", .type = "NODE", .required = true},
                flags->nodes);
  command.section("Output");
  command.text({.name = "-f,--format",
                .help = "table, or json with one document per node",
                .type = "FORMAT",
                .choices = {"table", "json"},
                .show_default = true},
               flags->format);
  command.set_action([flags] { return run_explain(*flags); });
}

}  // namespace thence::cli
