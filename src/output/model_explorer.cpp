// A map for Model Explorer: a collection of graphs whose nodes lie in namespaces, one for each module; and
// node data that colours them by confidence. Main graph, bodies and functions are graphs of their own.

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "onnx/edges.h"
#include "output/by_module.h"
#include "output/formats.h"
#include "output/json_text.h"
#include "output/node_names.h"
#include "output/other_formats.h"
#include "semantics/holdings.h"

namespace thence::output {
namespace {

using modules::ModuleId;
using modules::no_module;
using semantics::Map;

// Labels may repeat, numbers do not.
std::string graph_id(const onnx::Model& model, onnx::GraphId graph) {
  return graph == 0 ? "main" : base::format("{} [{}]", model.graph_label(graph), graph);
}

// Slashes part namespaces, and semicolons several of them.
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

  /// The root and the modules around and with it; nothing for who has none. Good until the next call.
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
        places_(model_),
        namespaces_(map),
        held_(semantics::holdings(map)) {
    graph_of_.resize(map.tree().size(), onnx::none);
    find_bodies();
  }

  void write() {
    text_ += R"({"label":)";
    append_json_string(text_, model_.file());
    text_ += R"(,"graphs":[)";
    for (onnx::GraphId graph = 0; graph < model_.graphs().size() && out_.ok(); ++graph) {
      if (graph > 0) out_.add(",");
      write_graph(graph);
    }
    out_.add("]}\n");
    out_.flush();
  }

 private:
  // Bodies by the nodes that hold them.
  void find_bodies() {
    for (onnx::GraphId graph = 0; graph < model_.graphs().size(); ++graph)
      if (model_.graphs()[graph].owner != onnx::none)
        bodies_.push_back({model_.graphs()[graph].owner, graph});
    std::sort(bodies_.begin(), bodies_.end());
  }

  void write_graph(onnx::GraphId id) {
    const onnx::Graph& graph = model_.graphs()[id];
    text_ += "\n{\"id\":";
    append_json_string(text_, graph_id(model_, id));
    text_ += R"(,"nodes":[)";
    std::vector<ModuleId> modules;
    for (onnx::NodeId node = graph.first_node; node < graph.first_node + graph.node_count && out_.ok();
         ++node) {
      out_.add(node == graph.first_node ? "\n" : ",\n");
      append_node(node, id);
      for (ModuleId at = map_.answer(node).module; at != no_module && graph_of_[at] != id;
           at = map_.tree()[at].parent) {
        graph_of_[at] = id;
        modules.push_back(at);
      }
    }
    text_ += "],\n\"groupNodeAttributes\":{\"\":{\"strategy\":";
    append_json_string(text_, map_.strategy().name);
    text_ += '}';
    for (const ModuleId module : modules) {
      out_.add(",\n");
      append_group(module);
    }
    text_ += "}}";
  }

  void append_node(onnx::NodeId id, onnx::GraphId graph) {
    text_ += R"({"id":)";
    append_json_string(text_, places_.of(id));
    text_ += R"(,"label":)";
    append_json_string(text_, model_.node(id).op_type());
    text_ += R"(,"namespace":)";
    append_json_string(text_, namespaces_.of(map_.answer(id).module));
    text_ += R"(,"attrs":[)";
    bool first = true;
    for (const Column& column : all_columns()) {
      const std::string value = column.text(map_, id);
      if (value.empty()) continue;
      append_pair(first, column.name, value);
    }
    text_ += ']';
    append_edges(id, graph);
    append_tensors("inputsMetadata", model_.node(id).inputs(), "__tensor_tag");
    append_tensors("outputsMetadata", model_.node(id).outputs(), "tensor_name");
    append_bodies(id);
    text_ += '}';
  }

  void append_pair(bool& first, std::string_view key, std::string_view value) {
    text_ += first ? "{\"key\":" : ",{\"key\":";
    first = false;
    append_json_string(text_, key);
    text_ += R"(,"value":)";
    append_json_string(text_, value);
    text_ += '}';
  }

  // What comes from a graph around this one cannot be drawn: its name stands in the inputs' metadata.
  void append_edges(onnx::NodeId id, onnx::GraphId graph) {
    text_ += R"(,"incomingEdges":[)";
    bool first = true;
    const onnx::Graph& here = model_.graphs()[graph];
    edges_.into(id, [&](const onnx::Edge& edge) {
      if (edge.source < here.first_node || edge.source >= here.first_node + here.node_count) return;
      out_.add(first ? R"({"sourceNodeId":)" : R"(,{"sourceNodeId":)");
      first = false;
      append_json_string(text_, places_.of(edge.source));
      base::append_format(text_, R"(,"sourceNodeOutputId":"{}","targetNodeInputId":"{}"}})", edge.output,
                          edge.input);
    });
    text_ += ']';
  }

  void append_tensors(std::string_view list, std::span<const onnx::ValueId> values, std::string_view key) {
    base::append_format(text_, R"(,"{}":[)", list);
    bool first = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] == onnx::none) continue;
      base::append_format(text_, R"({}{{"id":"{}","attrs":[{{"key":"{}","value":)", first ? "" : ",", i, key);
      first = false;
      append_json_string(text_, model_.value_name(values[i]));
      out_.add("}]}");
    }
    text_ += ']';
  }

  void append_bodies(onnx::NodeId id) {
    auto body = std::lower_bound(bodies_.begin(), bodies_.end(), std::pair(id, onnx::GraphId{0}));
    if (body == bodies_.end() || body->first != id) return;
    text_ += R"(,"subgraphIds":[)";
    for (bool first = true; body != bodies_.end() && body->first == id; ++body, first = false) {
      if (!first) text_ += ',';
      append_json_string(text_, graph_id(model_, body->second));
    }
    text_ += ']';
  }

  void append_group(ModuleId module) {
    append_json_string(text_, namespaces_.of(module));
    text_ += R"(:{"path":)";
    append_json_string(text_, map_.tree()[module].path);
    const auto say = [&](std::string_view key, std::string_view value) {
      if (value.empty()) return;
      text_ += ',';
      append_json_string(text_, key);
      text_ += ':';
      append_json_string(text_, value);
    };
    const semantics::Role role = map_.role(module);
    say("class", map_.tree()[module].class_name);
    say("semantic_type", role.type);
    say("component", role.component);
    say("classification", role.classification);
    base::append_format(text_, R"(,"nodes":"{}","parameters":"{}","bytes":"{}"}})", held_[module].nodes,
                        held_[module].parameters, held_[module].bytes);
  }

  const Map& map_;
  const onnx::Model& model_;
  base::Writer& out_;
  std::string& text_ = out_.buffer();
  onnx::Edges edges_;
  Places places_;
  Namespaces namespaces_;
  std::vector<semantics::Holding> held_;
  std::vector<onnx::GraphId> graph_of_;  // the last graph that told of a module
  std::vector<std::pair<onnx::NodeId, onnx::GraphId>> bodies_;
};

}  // namespace

void write_model_explorer(const Map& map, base::Writer& out) { Explorer(map, out).write(); }

// A gradient would stretch from the smallest value in the file to the largest; thresholds mean the same in
// every file. A value belongs to the first threshold that it does not exceed.
void write_confidence_overlay(const Map& map, base::Writer& out) {
  const onnx::Model& model = map.model();
  std::string& text = out.buffer();
  Places places(model);
  for (onnx::GraphId id = 0; id < model.graphs().size(); ++id) {
    const onnx::Graph& graph = model.graphs()[id];
    text += id == 0 ? "{" : ",\n";
    append_json_string(text, graph_id(model, id));
    text += R"(:{"name":"confidence","results":{)";
    for (onnx::NodeId node = graph.first_node; node < graph.first_node + graph.node_count; ++node) {
      out.add(node == graph.first_node ? "\n" : ",\n");
      append_json_string(text, places.of(node));
      base::append_format(text, R"(:{{"value":{:.4g}}})", map.answer(node).confidence);
    }
    text += R"(},"thresholds":[{"value":0,"bgColor":"#bdbdbd"},{"value":0.6999,"bgColor":"#ef9a9a"},)"
            R"({"value":0.9499,"bgColor":"#ffe082"},{"value":1,"bgColor":"#a5d6a7"}],"gradient":[]})";
  }
  out.add("}\n");
  out.flush();
}

}  // namespace thence::output
