// Rows from the model alone: values and edges.
#include "base/json_writer.h"
#include "base/text_index.h"
#include "onnx/edges.h"
#include "query/rows.h"

namespace thence::query {
namespace {

std::string shape_of(const onnx::ValueInfoView& info) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_array();
  for (const onnx::Dimension& dimension : info.dims)
    dimension.value ? json.value(*dimension.value) : json.value_or_null(dimension.param);
  json.end_array();
  return text;
}

// The type information of each value in the file. A value info names a value of its graph; inputs and outputs
// of a graph are identified by number.
std::vector<std::string_view> infos_by_value(const onnx::Model& model) {
  std::vector<std::string_view> infos_of_values(model.value_count());
  const auto set_info = [&](onnx::ValueId value, std::string_view info) {
    if (value != onnx::none) infos_of_values[value] = info;
  };
  for (const onnx::Graph& graph : model.graphs()) {
    for (std::size_t i = 0; i < graph.inputs.size() && i < graph.input_infos.size(); ++i)
      set_info(graph.inputs[i], graph.input_infos[i]);
    for (std::size_t i = 0; i < graph.outputs.size() && i < graph.output_infos.size(); ++i)
      set_info(graph.outputs[i], graph.output_infos[i]);
    const std::vector<std::string_view> infos = model.value_infos(graph);
    if (infos.empty()) continue;
    const auto name_of = [&](onnx::ValueId value) { return model.value_name(value); };
    base::TextIndex values_by_name;
    for (onnx::NodeId id = graph.first_node; id < graph.first_node + graph.node_count; ++id)
      for (const onnx::ValueId value : model.node(id).outputs())
        if (value != onnx::none && values_by_name.find(name_of(value), name_of) == base::TextIndex::not_found)
          values_by_name.add(name_of(value), value);
    for (const std::string_view info : infos)
      if (const std::uint32_t value = values_by_name.find(onnx::read_value_info(info).name, name_of);
          value != base::TextIndex::not_found)
        set_info(value, info);
  }
  return infos_of_values;
}

}  // namespace

void fill_values(const onnx::Model& model, Database& database) {
  static constexpr const char* kinds[] = {"node", "initializer", "graph_input", "nothing"};
  const std::vector<std::string_view> infos = infos_by_value(model);
  Statement row = insert_into(database, "\"values\"", 7);
  for (onnx::ValueId id = 0; id < model.value_count(); ++id) {
    const onnx::Producer producer = model.producer(id);
    row.number(id);
    row.text(model.value_name(id));
    row.text(kinds[static_cast<std::size_t>(producer.kind)]);
    for (const auto kind : {onnx::Producer::Kind::node, onnx::Producer::Kind::initializer})
      if (producer.kind == kind)
        row.number(producer.index);
      else
        row.null();
    const onnx::ValueInfoView info = onnx::read_value_info(infos[id]);
    if (info.is_tensor)
      row.text(onnx::data_type_name(info.elem_type));
    else
      row.null();
    if (info.is_tensor && info.has_shape)
      row.text(shape_of(info));
    else
      row.null();
    row.insert_row();
  }
}

void fill_edges(const onnx::Model& model, Database& database) {
  const onnx::Edges edges(model);
  Statement row = insert_into(database, "edges", 5);
  for (onnx::NodeId id = 0; id < model.node_count(); ++id)
    edges.for_each_into(id, [&](const onnx::Edge& edge) {
      for (const std::uint32_t number : {edge.target, edge.input, edge.source, edge.output, edge.value})
        row.number(number);
      row.insert_row();
    });
}

}  // namespace thence::query
