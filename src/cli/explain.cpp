// thence explain: explains the answer for a node.

#include <charconv>
#include <memory>

#include "base/format.h"
#include "base/nearest_names.h"
#include "base/text.h"
#include "cli/command.h"
#include "output/formats.h"

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

std::vector<onnx::NodeId> find_nodes(const onnx::Model& model, const std::string& wanted) {
  std::vector<onnx::NodeId> found;
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    if (model.node(id).name() == wanted && !wanted.empty()) found.push_back(id);
  const std::size_t hash = wanted.rfind('#');
  if (!found.empty() || hash == std::string::npos) return found;
  std::uint32_t index = 0;
  const char* const end = wanted.data() + wanted.size();
  const auto parsed = std::from_chars(wanted.data() + hash + 1, end, index);
  if (parsed.ec != std::errc() || parsed.ptr != end) return found;
  for (onnx::GraphId graph = 0; graph < model.graphs().size(); ++graph)
    if (index < model.graphs()[graph].node_count && model.graph_label(graph) == wanted.substr(0, hash))
      found.push_back(model.graphs()[graph].first_node + index);
  return found;
}

// The valid locations in the requested graph, for a location that does not exist.
std::string location_hint(const onnx::Model& model, const std::string& wanted) {
  for (onnx::GraphId graph = 0; graph < model.graphs().size(); ++graph) {
    const onnx::NodeId count = model.graphs()[graph].node_count;
    if (count == 0) continue;
    const std::string label = model.graph_label(graph);
    if (label == wanted.substr(0, wanted.rfind('#')))
      return base::format("the nodes of that graph are '{}#0' to '{}#{}'", base::printable(label),
                          base::printable(label), count - 1);
  }
  return {};
}

std::string nearest_node_names(const onnx::Model& model, const std::string& wanted) {
  base::NearestNames nearest(wanted);
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    if (const std::string_view name = model.node(id).name(); !name.empty()) nearest.add(name);
  std::string names;
  for (const std::string& name : nearest.names()) names += (names.empty() ? "" : ", ") + brief(name);
  return names;
}

int run_explain(ExplainFlags& flags) {
  const OpenedMap opened = open_map(flags);
  if (opened.map == nullptr) return opened.exit_code;
  const semantics::Map& map = *opened.map;
  std::vector<onnx::NodeId> nodes;
  for (const std::string& wanted : flags.nodes) {
    const std::vector<onnx::NodeId> found = find_nodes(map.model(), wanted);
    if (found.empty()) {
      const std::string names = nearest_node_names(map.model(), wanted);
      const std::string by_location =
          wanted.find('#') == std::string::npos ? std::string() : location_hint(map.model(), wanted);
      print_error({ErrorKind::usage, "U006",
                   base::format("{}: no node has the name '{}'", base::printable(flags.model), brief(wanted)),
                   !by_location.empty() ? by_location
                   : names.empty()      ? "give a node as GRAPH#INDEX, such as '#0'"
                                        : base::format("the nearest names: {}", names)});
      return nothing_found;
    }
    nodes.insert(nodes.end(), found.begin(), found.end());
  }
  const shapes::InferredShapes inferred = shapes::infer(map.model());
  return write_output(flags, [&](base::Writer& out) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (flags.format == "json")
        output::write_explanation_json(map, inferred, nodes[i], out);
      else {
        if (i > 0) out.add("\n");
        output::write_explanation(map, inferred, nodes[i], colour_on_output(flags), out);
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
