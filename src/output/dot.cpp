// A map for Graphviz: modules are nested clusters, edges are tensors.

#include <iterator>

#include "base/format.h"
#include "base/text.h"
#include "onnx/edges.h"
#include "output/nodes_by_module.h"
#include "output/other_formats.h"

namespace thence::output {
namespace {

using modules::ModuleId;
using semantics::Map;

// Inside quotes, a backslash begins an escape and an ampersand an HTML entity.
void append_quoted(std::string& out, std::string_view raw) {
  out.push_back('"');
  for (const char c : base::printable(raw)) {
    if (c == '"' || c == '\\') out.push_back('\\');
    if (c == '&')
      out += "&amp;";
    else
      out.push_back(c);
  }
  out.push_back('"');
}

class Dot {
 public:
  Dot(const Map& map, base::Writer& out) : map_(map), out_(out), nodes_(map) {}

  void write() {
    text_ += "digraph ";
    append_quoted(text_, map_.model().file());
    text_ += " {\n  node [shape=box];\n";
    write_module(modules::root, 2);
    for (const onnx::NodeId node : nodes_.unknown()) write_node(node, 2);
    const onnx::Edges edges(map_.model());
    for (onnx::NodeId id = 0; id < map_.model().node_count() && out_.ok(); ++id)
      edges.for_each_into(id, [&](const onnx::Edge& edge) {
        base::append_format(text_, "  n{} -> n{} [label=", edge.source, edge.target);
        append_quoted(text_, map_.model().value_name(edge.value));
        out_.add("];\n");
      });
    out_.add("}\n");
    out_.flush();
  }

 private:
  // Recursion depth is at most ModuleTree::max_depth.
  void write_module(ModuleId id, std::size_t indent) {
    const modules::Module& module = map_.tree()[id];
    base::append_format(text_, "{:{}}subgraph cluster_{} {{\n{:{}}label=", "", indent, id, "", indent + 2);
    append_quoted(text_, id == modules::root ? root_label(map_) : module.name());
    if (!module.class_name.empty()) {
      text_ += "; tooltip=";
      append_quoted(text_, module.class_name);
    }
    out_.add(";\n");
    for (const onnx::NodeId node : nodes_.of(id)) write_node(node, indent + 2);
    for (const ModuleId child : module.children) write_module(child, indent + 2);
    base::append_format(text_, "{:{}}}}\n", "", indent);
  }

  // Unknown nodes are dashed.
  void write_node(onnx::NodeId id, std::size_t indent) {
    base::append_format(text_, "{:{}}n{} [label=", "", indent, id);
    append_quoted(text_, map_.model().node(id).op_type());
    text_ += ", tooltip=";
    append_quoted(text_, map_.model().node(id).name());
    out_.add(map_.answer(id).known() ? "];\n" : ", style=dashed];\n");
  }

  const Map& map_;
  base::Writer& out_;
  std::string& text_ = out_.buffer();
  NodesByModule nodes_;
};

}  // namespace

void write_dot(const Map& map, base::Writer& out) { Dot(map, out).write(); }

}  // namespace thence::output
