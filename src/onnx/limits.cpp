#include "onnx/limits.h"

#include "base/format.h"
#include "onnx/errors.h"
#include "onnx/layout.h"
#include "onnx/model.h"

namespace thence::onnx {
namespace {

// In bytes. A graph is moved between lists before it is filled; growing lists use twice the space.
constexpr std::uint64_t a_node = Model::bytes_a_node;
constexpr std::uint64_t a_link = sizeof(ValueId);
constexpr std::uint64_t an_end = 2 * (sizeof(ValueId) + sizeof(std::string_view));
constexpr std::uint64_t a_graph = 3 * sizeof(Graph);
constexpr std::uint64_t a_name = NameTable::bytes_a_name + sizeof(ValueId);

// Also the limit for initializers: an index in Producer has 30 bits.
constexpr std::uint64_t most_nodes = std::uint64_t{1} << 30;

}  // namespace

Counts::Counts(std::uint64_t file_size, const wire::Survey& survey) {
  const auto count = [&](Kind kind, auto field) {
    return survey.count(static_cast<std::uint8_t>(kind), static_cast<std::uint32_t>(field));
  };
  size = file_size;
  described = file_size - survey.data_bytes;
  nodes = count(Kind::graph, GraphField::node) + count(Kind::function, FunctionField::node);
  inputs = count(Kind::node, NodeField::input);
  outputs = count(Kind::node, NodeField::output);
  named_outputs = survey.count_filled(static_cast<std::uint8_t>(Kind::node),
                                      static_cast<std::uint32_t>(NodeField::output));
  graph_inputs = count(Kind::graph, GraphField::input) + count(Kind::function, FunctionField::input);
  graph_outputs = count(Kind::graph, GraphField::output) + count(Kind::function, FunctionField::output);
  graph_pieces = count(Kind::model, ModelField::graph);
  bodies = count(Kind::attribute, AttributeField::g) + count(Kind::attribute, AttributeField::graphs);
  functions = count(Kind::model, ModelField::functions);
  initializers =
      count(Kind::graph, GraphField::initializer) + count(Kind::graph, GraphField::sparse_initializer);
  opsets = count(Kind::model, ModelField::opset_import);
}

std::uint64_t Counts::granted() const { return (48u << 20) + 2 * described + 96 * nodes; }

std::uint64_t Counts::needed() const {
  return nodes * a_node + (inputs + outputs) * a_link + named_outputs * Model::bytes_a_value +
         (graph_inputs + graph_outputs) * an_end + (graph_pieces + bodies + functions) * a_graph +
         initializers * sizeof(Initializer) + opsets * sizeof(Opset);
}

std::uint64_t Counts::most_names() const { return (granted() - needed()) / a_name; }

std::optional<Error> check_limits(const std::string& file, const Counts& counts) {
  const std::uint64_t ends = counts.inputs + counts.outputs + counts.graph_inputs + counts.graph_outputs;
  const std::uint64_t graphs = counts.graph_pieces + counts.bodies + counts.functions;
  if (counts.nodes < most_nodes && counts.initializers < most_nodes && ends + counts.initializers < none &&
      counts.size <= Slice::max_offset && counts.needed() <= counts.granted())
    return std::nullopt;
  return past_limits(
      file, base::format("{} nodes, {} inputs and outputs, {} initializers and {} graphs in {} bytes",
                         counts.nodes, ends, counts.initializers, graphs, counts.size));
}

Error too_many_names(const std::string& file, const Counts& counts) {
  return past_limits(file, base::format("more than {} names in {} bytes", counts.most_names(), counts.size));
}

}  // namespace thence::onnx
