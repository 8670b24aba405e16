// A map for Model Explorer: a collection of graphs whose nodes are in namespaces, one per module, and node
// data that colours nodes by confidence. The main graph, bodies and functions are separate graphs.

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/json_writer.h"
#include "onnx/edges.h"
#include "output/explorer_overlay.h"
#include "output/formats.h"
#include "output/node_names.h"
#include "output/nodes_by_module.h"
#include "output/other_formats.h"
#include "semantics/module_totals.h"

namespace thence::output {
namespace {

using base::JsonWriter;
using modules::ModuleId;
using modules::no_module;
using semantics::Map;

// Slashes separate the levels of a namespace, and semicolons separate namespaces.
void append_atom(std::string& out, std::string_view atom) {
  for (const char c : atom) {
    if (c == '/')
      out += "\\x2f";
    else if (c == ';')
      out += "\\x3b";
    else
      out.push_back(c);
  }
}

class Namespaces {
 public:
  explicit Namespaces(const Map& map) : map_(map) {}

  /// The namespace of a module: the root and the modules on its path. Empty for no_module. Valid until the
  /// next call.
  const std::string& of(ModuleId module) {
    if (module == module_) return text_;
    module_ = module;
    text_.clear();
    if (module == no_module) return text_;
    append_atom(text_, root_label(map_));
    for (std::string_view rest = map_.tree()[module].path; !rest.empty();) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      text_.push_back('/');
      append_atom(text_, rest.substr(0, dot));
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    return text_;
  }

 private:
  const Map& map_;
  ModuleId module_ = no_module;
  std::string text_;
};

class Explorer {
 public:
  Explorer(const Map& map, base::Writer& out)
      : map_(map),
        model_(map.model()),
        out_(out),
        edges_(model_),
        locations_(model_),
        namespaces_(map),
        holdings_(semantics::module_totals(map)) {
    graph_of_.resize(map.tree().size(), onnx::none);
    find_bodies();
  }

  void write() {
    json_.begin_object();
    json_.member<"label">(model_.file());
    json_.begin_array<"graphs">();
    for (onnx::GraphId graph = 0; graph < model_.graphs().size() && out_.ok(); ++graph) write_graph(graph);
    json_.end_array();
    json_.end_object();
    out_.add("\n");
    out_.flush();
  }

 private:
  // Indexes bodies by the node that has them.
  void find_bodies() {
    for (onnx::GraphId graph = 0; graph < model_.graphs().size(); ++graph)
      if (model_.graphs()[graph].owner != onnx::none)
        bodies_.push_back({model_.graphs()[graph].owner, graph});
    std::sort(bodies_.begin(), bodies_.end());
  }

  void write_graph(onnx::GraphId id) {
    const onnx::Graph& graph = model_.graphs()[id];
    json_.new_line();
    json_.begin_object();
    json_.member<"id">(explorer_graph_id(model_, id));
    json_.begin_array<"nodes">();
    std::vector<ModuleId> modules;
    for (onnx::NodeId node = graph.first_node; node < graph.first_node + graph.node_count && out_.ok();
         ++node) {
      write_node(node, id);
      for (ModuleId at = map_.answer(node).module; at != no_module && graph_of_[at] != id;
           at = map_.tree()[at].parent) {
        graph_of_[at] = id;
        modules.push_back(at);
      }
    }
    json_.end_array();
    json_.new_line();
    json_.begin_object<"groupNodeAttributes">();
    json_.begin_object<"">();
    json_.member<"strategy">(map_.strategy().name);
    json_.end_object();
    for (const ModuleId module : modules) write_group(module);
    json_.end_object();
    json_.end_object();
  }

  void write_node(onnx::NodeId id, onnx::GraphId graph) {
    json_.new_line();
    json_.begin_object();
    json_.member<"id">(locations_.of(id));
    json_.member<"label">(model_.node(id).op_type());
    json_.member<"namespace">(namespaces_.of(map_.answer(id).module));
    json_.begin_array<"attrs">();
    for (const Column& column : all_columns())
      if (const std::string value = column.text(reader_, id); !value.empty()) write_pair(column.name, value);
    json_.end_array();
    write_edges(id, graph);
    json_.key<"inputsMetadata">();
    write_tensors(model_.node(id).inputs(), "__tensor_tag");
    json_.key<"outputsMetadata">();
    write_tensors(model_.node(id).outputs(), "tensor_name");
    write_bodies(id);
    json_.end_object();
    out_.flush_if_full();
  }

  void write_pair(std::string_view key, std::string_view value) {
    json_.begin_object();
    json_.member<"key">(key);
    json_.member<"value">(value);
    json_.end_object();
  }

  // A value from an enclosing graph cannot be drawn as an edge. Its name is in the metadata of the inputs.
  void write_edges(onnx::NodeId id, onnx::GraphId graph) {
    json_.begin_array<"incomingEdges">();
    const onnx::Graph& here = model_.graphs()[graph];
    edges_.for_each_into(id, [&](const onnx::Edge& edge) {
      if (edge.source < here.first_node || edge.source >= here.first_node + here.node_count) return;
      json_.begin_object();
      json_.member<"sourceNodeId">(locations_.of(edge.source));
      json_.member<"sourceNodeOutputId">(std::to_string(edge.output));
      json_.member<"targetNodeInputId">(std::to_string(edge.input));
      json_.end_object();
      out_.flush_if_full();
    });
    json_.end_array();
  }

  void write_tensors(std::span<const onnx::ValueId> values, std::string_view key) {
    json_.begin_array();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == onnx::none) continue;
      json_.begin_object();
      json_.member<"id">(std::to_string(i));
      json_.begin_array<"attrs">();
      write_pair(key, model_.value_name(values[i]));
      json_.end_array();
      json_.end_object();
      out_.flush_if_full();
    }
    json_.end_array();
  }

  void write_bodies(onnx::NodeId id) {
    auto body = std::lower_bound(bodies_.begin(), bodies_.end(), std::pair(id, onnx::GraphId{0}));
    if (body == bodies_.end() || body->first != id) return;
    json_.begin_array<"subgraphIds">();
    for (; body != bodies_.end() && body->first == id; ++body)
      json_.value(explorer_graph_id(model_, body->second));
    json_.end_array();
  }

  void write_group(ModuleId module) {
    const modules::Module& group = map_.tree()[module];
    const semantics::Role role = map_.role(module);
    json_.new_line();
    json_.key(namespaces_.of(module));
    json_.begin_object();
    json_.member<"path">(group.path);
    if (!group.class_name.empty()) json_.member<"class">(group.class_name);
    if (!role.type.empty()) json_.member<"semantic_type">(role.type);
    if (!role.component.empty()) json_.member<"component">(role.component);
    if (!role.classification.empty()) json_.member<"classification">(role.classification);
    json_.member<"nodes">(std::to_string(holdings_[module].nodes));
    json_.member<"parameters">(std::to_string(holdings_[module].parameters));
    json_.member<"bytes">(std::to_string(holdings_[module].bytes));
    json_.end_object();
    out_.flush_if_full();
  }

  const Map& map_;
  const onnx::Model& model_;
  base::Writer& out_;
  JsonWriter json_{out_.buffer()};
  ColumnReader reader_{map_};
  onnx::Edges edges_;
  NodeLocations locations_;
  Namespaces namespaces_;
  std::vector<semantics::ModuleTotals> holdings_;
  std::vector<onnx::GraphId> graph_of_;  // the last graph that listed the module
  std::vector<std::pair<onnx::NodeId, onnx::GraphId>> bodies_;
};

// A gradient would depend on the smallest and largest value in the file; thresholds are the same for every
// file. A value belongs to the first threshold that it does not exceed.
void write_thresholds(JsonWriter& json) {
  struct Threshold {
    std::string_view value, colour;
  };
  json.begin_array<"thresholds">();
  for (const Threshold& threshold : {Threshold{"0", "#bdbdbd"}, Threshold{"0.6999", "#ef9a9a"},
                                     Threshold{"0.9499", "#ffe082"}, Threshold{"1", "#a5d6a7"}}) {
    json.begin_object();
    json.verbatim<"value">(threshold.value);
    json.member<"bgColor">(threshold.colour);
    json.end_object();
  }
  json.end_array();
  json.begin_array<"gradient">();
  json.end_array();
}

}  // namespace

void write_model_explorer(const Map& map, base::Writer& out) { Explorer(map, out).write(); }

// Labels may repeat, so the number makes the id unique.
std::string explorer_graph_id(const onnx::Model& model, onnx::GraphId graph) {
  return graph == 0 ? "main" : base::format("{} [{}]", model.graph_label(graph), graph);
}

void write_confidence_overlay(const Map& map, base::Writer& out) {
  write_explorer_overlay(map.model(),
                         {.name = "confidence",
                          .digits = 4,
                          .value_of = [&](onnx::NodeId node) { return map.answer(node).confidence; },
                          .write_colours = write_thresholds},
                         out);
}

}  // namespace thence::output
