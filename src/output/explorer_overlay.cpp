#include "output/explorer_overlay.h"

#include "output/node_names.h"
#include "output/other_formats.h"

namespace thence::output {

void write_explorer_overlay(const onnx::Model& model, const ExplorerOverlay& overlay, base::Writer& out) {
  base::JsonWriter json(out.buffer());
  NodeLocations locations(model);
  json.begin_object();
  for (onnx::GraphId id = 0; id < model.graphs().size(); ++id) {
    const onnx::Graph& graph = model.graphs()[id];
    json.new_line_between();
    json.key(explorer_graph_id(model, id));
    json.begin_object();
    json.member<"name">(overlay.name);
    json.begin_object<"results">();
    for (onnx::NodeId node = graph.first_node; node < graph.first_node + graph.node_count; ++node) {
      const std::optional<double> value = overlay.value_of(node);
      if (!value) continue;
      json.new_line();
      json.key(locations.of(node));
      json.begin_object();
      json.real<"value">(*value, overlay.digits);
      json.end_object();
      out.flush_if_full();
    }
    json.end_object();
    overlay.write_colours(json);
    json.end_object();
  }
  json.end_object();
  out.add("\n");
  out.flush();
}

}  // namespace thence::output
