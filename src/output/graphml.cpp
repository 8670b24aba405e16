// A map as GraphML: modules are nested groups that contain their nodes, edges are tensors. The group elements
// are those of yEd; networkx also needs them to read nested groups.

#include <algorithm>
#include <iterator>

#include "base/format.h"
#include "base/text.h"
#include "onnx/edges.h"
#include "output/formats.h"
#include "output/nodes_by_module.h"
#include "output/other_formats.h"

namespace thence::output {
namespace {

using modules::ModuleId;
using semantics::Map;

// XML cannot represent control characters or the last two code points of the basic plane, so they are
// escaped.
void append_xml(std::string& out, std::string_view raw) {
  constexpr std::string_view special = "&<>\"\xef";
  const std::string printable = base::is_printable(raw) ? std::string() : base::printable(raw);
  std::string_view text = printable.empty() ? raw : printable;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of(special), text.size());
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    std::size_t length = 1;
    switch (text.front()) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        length = 3;
        if (text.starts_with("\xef\xbf\xbe"))
          out += "\\xef\\xbf\\xbe";
        else if (text.starts_with("\xef\xbf\xbf"))
          out += "\\xef\\xbf\\xbf";
        else
          out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
}

constexpr std::string_view head = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
<key id="shape" for="node" yfiles.type="nodegraphics"/>
<key id="line" for="edge" yfiles.type="edgegraphics"/>
<key id="kind" for="node" attr.name="kind" attr.type="string"/>
<key id="path" for="node" attr.name="path" attr.type="string"/>
<key id="class" for="node" attr.name="class" attr.type="string"/>
<key id="tensor" for="edge" attr.name="tensor" attr.type="string"/>
<key id="output" for="edge" attr.name="output" attr.type="long"/>
<key id="input" for="edge" attr.name="input" attr.type="long"/>
)";

std::string_view type_of(std::string_view column) {
  if (column == "confidence") return "double";
  for (const std::string_view number : {"index", "call", "layer_id"})
    if (column == number) return "long";
  return "string";
}

class GraphML {
 public:
  GraphML(const Map& map, base::Writer& out) : map_(map), out_(out), nodes_(map) {}

  void write() {
    text_ += head;
    for (const Column& column : all_columns())
      base::append_format(text_, "<key id=\"{}\" for=\"node\" attr.name=\"{}\" attr.type=\"{}\"/>\n",
                          column.name, column.name, type_of(column.name));
    text_ += "<graph id=\"g\" edgedefault=\"directed\">\n";
    write_module(modules::root);
    for (const onnx::NodeId node : nodes_.unknown()) write_node(node);
    write_edges();
    out_.add("</graph>\n</graphml>\n");
    out_.flush();
  }

 private:
  // Recursion depth is at most ModuleTree::max_depth.
  void write_module(ModuleId id) {
    const modules::Module& module = map_.tree()[id];
    const std::string_view name = id == modules::root ? root_label(map_) : module.name();
    base::append_format(text_, "<node id=\"m{}\" yfiles.foldertype=\"group\">", id);
    append_data("kind", "module");
    append_data("path", module.path);
    if (!module.class_name.empty()) append_data("class", module.class_name);
    const semantics::Role role = map_.role(id);
    if (!role.type.empty()) append_data("semantic_type", role.type);
    if (!role.component.empty()) append_data("component", role.component);
    text_ +=
        "<data key=\"shape\"><y:ProxyAutoBoundsNode><y:Realizers active=\"0\"><y:GroupNode><y:NodeLabel>";
    append_xml(text_, name);
    text_ +=
        "</y:NodeLabel><y:Shape type=\"roundrectangle\"/><y:State closed=\"false\"/></y:GroupNode>"
        "</y:Realizers></y:ProxyAutoBoundsNode></data>\n";
    base::append_format(text_, "<graph id=\"g{}\" edgedefault=\"directed\">\n", id);
    out_.flush_if_full();
    for (const onnx::NodeId node : nodes_.of(id)) write_node(node);
    for (const ModuleId child : module.children) write_module(child);
    text_ += "</graph></node>\n";
  }

  void write_node(onnx::NodeId id) {
    base::append_format(text_, "<node id=\"n{}\">", id);
    append_data("kind", "node");
    for (const Column& column : all_columns())
      if (const std::string value = column.text(reader_, id); !value.empty()) append_data(column.name, value);
    text_ += "<data key=\"shape\"><y:ShapeNode><y:NodeLabel>";
    append_xml(text_, map_.model().node(id).op_type());
    out_.add("</y:NodeLabel><y:Shape type=\"rectangle\"/></y:ShapeNode></data></node>\n");
  }

  void write_edges() {
    const onnx::Edges edges(map_.model());
    for (onnx::NodeId id = 0; id < map_.model().node_count() && out_.ok(); ++id)
      edges.for_each_into(id, [&](const onnx::Edge& edge) {
        base::append_format(text_, "<edge source=\"n{}\" target=\"n{}\">", edge.source, edge.target);
        append_data("tensor", map_.model().value_name(edge.value));
        base::append_format(text_,
                            "<data key=\"output\">{}</data><data key=\"input\">{}</data><data key=\"line\">"
                            "<y:PolyLineEdge><y:Arrows source=\"none\" target=\"standard\"/><y:EdgeLabel>",
                            edge.output, edge.input);
        append_xml(text_, map_.model().value_name(edge.value));
        out_.add("</y:EdgeLabel></y:PolyLineEdge></data></edge>\n");
      });
  }

  void append_data(std::string_view key, std::string_view value) {
    text_.append("<data key=\"").append(key).append("\">");
    append_xml(text_, value);
    text_ += "</data>";
  }

  const Map& map_;
  base::Writer& out_;
  std::string& text_ = out_.buffer();
  NodesByModule nodes_;
  ColumnReader reader_{map_};
};

}  // namespace

void write_graphml(const Map& map, base::Writer& out) { GraphML(map, out).write(); }

}  // namespace thence::output
