#include "onnx/limits.h"

#include "base/format.h"
#include "onnx/errors.h"
#include "onnx/layout.h"
#include "onnx/model.h"

namespace thence::onnx {
namespace {

// In bytes. A graph is moved between lists before it is filled; growing lists use twice the space.
constexpr std::uint64_t node_bytes = Model::bytes_per_node;
constexpr std::uint64_t link_bytes = sizeof(ValueId);
constexpr std::uint64_t graph_io_bytes = 2 * (sizeof(ValueId) + sizeof(std::string_view));
constexpr std::uint64_t graph_bytes = 3 * sizeof(Graph);
constexpr std::uint64_t name_bytes = NameTable::bytes_per_name + sizeof(ValueId);

}  // namespace

Counts::Counts(std::uint64_t file_size, const wire::Survey& survey) {
  const auto count = [&](MessageKind kind, auto field) {
    return survey.count(static_cast<std::uint8_t>(kind), static_cast<std::uint32_t>(field));
  };
  size = file_size;
  structure_bytes = file_size - survey.data_bytes;
  nodes = count(MessageKind::graph, GraphField::node) + count(MessageKind::function, FunctionField::node);
  inputs = count(MessageKind::node, NodeField::input);
  outputs = count(MessageKind::node, NodeField::output);
  named_outputs = survey.count_nonempty(static_cast<std::uint8_t>(MessageKind::node),
                                        static_cast<std::uint32_t>(NodeField::output));
  graph_inputs =
      count(MessageKind::graph, GraphField::input) + count(MessageKind::function, FunctionField::input);
  graph_outputs =
      count(MessageKind::graph, GraphField::output) + count(MessageKind::function, FunctionField::output);
  graph_pieces = count(MessageKind::model, ModelField::graph);
  bodies = count(MessageKind::attribute, AttributeField::g) +
           count(MessageKind::attribute, AttributeField::graphs);
  functions = count(MessageKind::model, ModelField::functions);
  initializers = count(MessageKind::graph, GraphField::initializer) +
                 count(MessageKind::graph, GraphField::sparse_initializer);
  opsets = count(MessageKind::model, ModelField::opset_import);
}

std::uint64_t Counts::memory_limit() const {
  return min_memory_bytes + 2 * structure_bytes + memory_per_node * nodes;
}

std::uint64_t Counts::memory_needed() const {
  return nodes * node_bytes + (inputs + outputs) * link_bytes + named_outputs * Model::bytes_per_value +
         (graph_inputs + graph_outputs) * graph_io_bytes + (graph_pieces + bodies + functions) * graph_bytes +
         initializers * sizeof(Initializer) + opsets * sizeof(Opset);
}

std::uint64_t Counts::max_names() const { return (memory_limit() - memory_needed()) / name_bytes; }

std::optional<Error> check_limits(const std::string& file, const Counts& counts) {
  const std::uint64_t ends = counts.inputs + counts.outputs + counts.graph_inputs + counts.graph_outputs;
  const std::uint64_t graphs = counts.graph_pieces + counts.bodies + counts.functions;
  if (counts.nodes < max_nodes && counts.initializers < max_nodes && ends + counts.initializers < none &&
      counts.size <= Slice::max_offset && counts.memory_needed() <= counts.memory_limit())
    return std::nullopt;
  return limits_exceeded(
      file, base::format("{} nodes, {} inputs and outputs, {} initializers and {} graphs in {} bytes",
                         counts.nodes, ends, counts.initializers, graphs, counts.size));
}

Error too_many_names(const std::string& file, const Counts& counts) {
  return limits_exceeded(file,
                         base::format("more than {} names in {} bytes", counts.max_names(), counts.size));
}

}  // namespace thence::onnx
